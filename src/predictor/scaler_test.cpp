// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/scaler.h"

#include <gtest/gtest.h>

#include <limits>

namespace dryfit::predictor {
namespace {

TEST(Scaler, Columns_get_mean_zero_and_deviation_one) {
  const std::vector<double> values{1, 10, 3, 30};
  const auto scaler = fit_scaler(values, 2);
  EXPECT_EQ(scaler.mean, (std::vector<double>{2, 20}));
  EXPECT_EQ(scaler.apply(values), (std::vector<float>{-1, -1, 1, 1}));
}

TEST(Scaler, Other_rows_are_measured_by_the_training_rows) {
  const auto scaler = fit_scaler(std::vector<double>{1, 3}, 1);
  EXPECT_EQ(scaler.apply(std::vector<double>{6, 2}), (std::vector<float>{4, 0}));
}

TEST(Scaler, A_column_without_spread_is_only_shifted) {
  const auto scaler = fit_scaler(std::vector<double>{0.1, 0.1, 0.1}, 1);
  EXPECT_EQ(scaler.scale, (std::vector<double>{1}));
  EXPECT_NEAR(scaler.apply(std::vector<double>{0.1})[0], 0, 1e-12);
  EXPECT_FLOAT_EQ(scaler.apply(std::vector<double>{2.1})[0], 2);
}

TEST(Scaler, One_with_other_columns_or_with_numbers_that_are_none_is_not_sound) {
  const Scaler scaler{{1, 2}, {1, 1}};
  EXPECT_TRUE(is_sound(scaler, 2));
  EXPECT_FALSE(is_sound(scaler, 3));
  EXPECT_FALSE(is_sound({{1, 2}, {1}}, 2));
  EXPECT_FALSE(is_sound({{1, std::numeric_limits<double>::quiet_NaN()}, {1, 1}}, 2));
  EXPECT_FALSE(is_sound({{1, 2}, {1, std::numeric_limits<double>::infinity()}}, 2));
}

}  // namespace
}  // namespace dryfit::predictor
