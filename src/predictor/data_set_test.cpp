// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/data_set.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dryfit::predictor {
namespace {

using Places = std::vector<std::size_t>;

/// Rows 1 and 3 of four, a fold each.
DataSet sample_set() {
  DataSet data{.feature_names = {"x"}};
  std::vector<Example> by_row;
  for (std::size_t row = 0; row < 4; ++row) by_row.push_back({row, "g", 10.0 * row, {1.0 * row}});
  take_examples(data, {.rows = {1, 3}, .folds = {0, 1}, .count = 2}, std::move(by_row));
  return data;
}

TEST(DataSet, Only_the_examples_of_the_folds_are_taken_and_the_folds_count_them) {
  const auto data = sample_set();
  EXPECT_EQ(data.rows(), (Places{1, 3}));
  EXPECT_EQ(data.truth(), (std::vector<double>{10, 30}));
  EXPECT_EQ(data.folds.rows, (Places{0, 1}));
}

TEST(DataSet, A_base_is_fitted_on_the_training_examples_of_each_fold_and_given_for_all) {
  auto data = sample_set();
  const auto mean_of_training = [&](std::span<const std::size_t> training) -> Result<std::vector<double>> {
    EXPECT_EQ(training.size(), 1u);
    return std::vector<double>(2, data.examples[training[0]].truth);
  };
  ASSERT_TRUE(fit_bases(data, mean_of_training));
  EXPECT_EQ(data.bases, (std::vector<std::vector<double>>{{30, 30}, {10, 10}}));
}

TEST(DataSet, A_base_that_is_not_above_zero_is_refused_with_its_row) {
  auto data = sample_set();
  const auto status = fit_bases(data, [](auto) -> Result<std::vector<double>> { return std::vector<double>{1, 0}; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "the physics base of row 3 is not above zero");
}

TEST(DataSet, The_base_is_an_input_where_the_set_says_so_and_differs_between_folds) {
  auto data = sample_set();
  data.bases = {{2, 3}, {4, 5}};
  EXPECT_EQ(inputs_of(data, 1, 0), (std::vector<double>{1}));
  EXPECT_EQ(input_names(data), (std::vector<std::string>{"x"}));
  data.base_is_feature = true;
  EXPECT_EQ(inputs_of(data, 1, 0), (std::vector<double>{1, std::log(4)}));
  EXPECT_EQ(inputs_of(data, 0, 0), (std::vector<double>{1, std::log(2)}));
  EXPECT_EQ(input_names(data), (std::vector<std::string>{"x", "log base"}));
}

TEST(DataSet, What_a_protocol_keeps_apart_is_in_its_name) {
  EXPECT_EQ(kept_apart_by("module5_s0"), "module");
  EXPECT_EQ(kept_apart_by("gpu3"), "gpu");
  EXPECT_EQ(kept_apart_by("gpus"), "gpus");
}

}  // namespace
}  // namespace dryfit::predictor
