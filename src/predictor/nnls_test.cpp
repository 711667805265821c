// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/nnls.h"

#include <gtest/gtest.h>

#include <random>

namespace dryfit::predictor {
namespace {

void expect_near(const std::vector<double>& x, const std::vector<double>& expected) {
  ASSERT_EQ(x.size(), expected.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-9) << i;
}

TEST(Nnls, Without_a_negative_part_it_is_the_least_squares) {
  // y = 1 + 2 x through (0, 1), (1, 3), (2, 5).
  expect_near(solve_nnls(std::vector<double>{1, 0, 1, 1, 1, 2}, std::vector<double>{1, 3, 5}, 2), {1, 2});
}

TEST(Nnls, A_column_that_would_be_negative_is_left_out_and_the_rest_fitted_again) {
  // The line through (0, 4), (1, 3), (2, 2) falls; the best constant is 3.
  expect_near(solve_nnls(std::vector<double>{1, 0, 1, 1, 1, 2}, std::vector<double>{4, 3, 2}, 2), {3, 0});
}

TEST(Nnls, When_nothing_helps_all_is_zero) {
  expect_near(solve_nnls(std::vector<double>{1, 2}, std::vector<double>{-1, -1}, 1), {0});
}

TEST(Nnls, Columns_that_depend_on_each_other_or_are_zero_do_no_harm) {
  expect_near(solve_nnls(std::vector<double>{1, 2, 0, 2, 4, 0}, std::vector<double>{3, 6}, 3), {3, 0, 0});
}

TEST(Nnls, Columns_of_very_different_units_are_fitted_alike) {
  expect_near(solve_nnls(std::vector<double>{1e9, 1e-3, 2e9, 5e-3, 3e9, 2e-3}, std::vector<double>{3, 9, 8}, 2),
              {2e-9, 1e3});
}

TEST(Nnls, Relative_errors_count_alike_at_any_size) {
  // A constant for 1 and 3: sum((c / b - 1)^2) is least at (1 + 1/3) / (1 + 1/9) = 1.2, not at 2.
  expect_near(solve_relative_nnls(std::vector<double>{1, 1}, std::vector<double>{1, 3}, 1), {1.2});
}

TEST(Nnls, The_conditions_of_Karush_Kuhn_and_Tucker_hold_on_random_problems) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> a(20 * 4);
    std::vector<double> b(20);
    for (auto& value : a) value = normal(random);
    for (auto& value : b) value = normal(random);
    const auto x = solve_nnls(a, b, 4);
    for (std::size_t column = 0; column < 4; ++column) {
      double slope = 0;
      for (std::size_t row = 0; row < b.size(); ++row) {
        double rest = -b[row];
        for (std::size_t i = 0; i < 4; ++i) rest += a[row * 4 + i] * x[i];
        slope += rest * a[row * 4 + column];
      }
      EXPECT_GE(x[column], 0);
      if (x[column] > 0) {
        EXPECT_NEAR(slope, 0, 1e-8);
      } else {
        EXPECT_GE(slope, -1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace dryfit::predictor
