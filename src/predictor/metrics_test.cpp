// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dryfit::predictor {
namespace {

TEST(Metrics, Five_numbers_computed_by_hand) {
  // Errors 1, -1, 2: squares 6, mean of the truth 4, spread 4 + 0 + 4.
  const auto scores = score(std::vector<double>{2, 4, 6}, std::vector<double>{3, 3, 8});
  EXPECT_DOUBLE_EQ(scores[Metric::mse], 2);
  EXPECT_DOUBLE_EQ(scores[Metric::rmse], std::sqrt(2));
  EXPECT_DOUBLE_EQ(scores[Metric::mae], 4.0 / 3);
  EXPECT_DOUBLE_EQ(scores[Metric::mape], 100 * (1.0 / 2 + 1.0 / 4 + 2.0 / 6) / 3);
  EXPECT_DOUBLE_EQ(scores[Metric::r2], 1 - 6.0 / 8);
}

TEST(Metrics, Perfect_predictions_have_no_error) {
  const std::vector<double> truth{1, 2};
  const auto scores = score(truth, truth);
  EXPECT_EQ(scores.values, (std::array<double, 5>{0, 0, 0, 0, 1}));
}

TEST(Metrics, Without_spread_there_is_no_R2) {
  EXPECT_TRUE(std::isnan(score(std::vector<double>{3, 3}, std::vector<double>{3, 4})[Metric::r2]));
}

TEST(Metrics, Only_R2_is_better_when_larger) {
  for (const auto metric : kAllMetrics) EXPECT_EQ(larger_is_better(metric), to_text(metric) == "R2");
}

}  // namespace
}  // namespace dryfit::predictor
