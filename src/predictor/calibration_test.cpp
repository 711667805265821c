// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dryfit::predictor {
namespace {

/// A fold of 0.01, 0.02, ... of so many.
std::vector<double> ladder(std::size_t count, double step = 0.01) {
  std::vector<double> residuals;
  for (std::size_t i = 1; i <= count; ++i) residuals.push_back(step * static_cast<double>(i));
  return residuals;
}

TEST(Calibration, The_rank_is_that_of_one_job_more_than_there_are) {
  const Calibration calibration{{ladder(19)}};
  EXPECT_DOUBLE_EQ(*calibration.margin(0.95), 0.19);  // 0.95 * 20 = the 19th of 19
  EXPECT_DOUBLE_EQ(*calibration.margin(0.5), 0.10);
  EXPECT_DOUBLE_EQ(*calibration.margin(0.51), 0.11);
  EXPECT_DOUBLE_EQ(*calibration.margin(1e-6), 0.01);
}

TEST(Calibration, The_worst_fold_decides) {
  const Calibration calibration{{ladder(99), ladder(99, 0.02), ladder(199)}};
  EXPECT_DOUBLE_EQ(*calibration.margin(0.9), 1.8);
  EXPECT_DOUBLE_EQ(*calibration.margin(0.95), 1.9);
}

TEST(Calibration, A_coverage_beyond_the_smallest_fold_is_an_error_that_names_the_limit) {
  const Calibration calibration{{ladder(99), ladder(19)}};
  EXPECT_DOUBLE_EQ(calibration.most_coverage(), 0.95);
  EXPECT_TRUE(calibration.margin(0.95));
  const auto margin = calibration.margin(0.96);
  ASSERT_FALSE(margin);
  EXPECT_EQ(margin.error().what, "a coverage of 0.96 is more than the model's calibration supports");
  EXPECT_EQ(margin.error().hint, "Use at most 0.95.");
}

TEST(Calibration, A_coverage_that_is_none_is_an_error) {
  for (const double coverage : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
    EXPECT_FALSE(Calibration{{ladder(99)}}.margin(coverage)) << coverage;
  }
  EXPECT_FALSE(Calibration{}.margin(0.5));
  EXPECT_FALSE((Calibration{{ladder(99), {}}}).margin(0.5));
}

TEST(Calibration, More_coverage_is_never_a_smaller_margin) {
  const Calibration calibration{{ladder(40, 0.03), ladder(60), {-0.3, -0.2, 0.1, 0.1, 0.7, 0.8, 0.9, 1.0, 1.1}}};
  double before = -1;
  for (double coverage = 0.01; coverage < 0.9; coverage += 0.01) {
    const auto margin = calibration.margin(coverage);
    ASSERT_TRUE(margin);
    EXPECT_GE(*margin, before);
    before = *margin;
  }
}

TEST(Margins, All_together_decide_where_no_fold_is_much_worse) {
  const Margins margins({{ladder(99), ladder(100)}});
  EXPECT_NEAR(*margins.at(0.9), 0.90, 1e-9);  // the 180th of 199, two of each
}

TEST(Margins, A_fold_that_is_much_worse_decides_with_a_little_more_missed) {
  const Margins margins({{ladder(999), ladder(99, 0.2)}});
  EXPECT_NEAR(*margins.at(0.9), 0.2 * 86, 1e-9);   // the 86th of the worse fold; of all together 9.43
  EXPECT_NEAR(*margins.at(0.95), 0.2 * 93, 1e-9);  // the 93rd
}

TEST(Margins, Too_much_coverage_is_an_error_that_names_the_limit) {
  const Margins margins({{ladder(999), ladder(19)}});
  EXPECT_TRUE(margins.at(0.96));
  const auto margin = margins.at(0.97);
  ASSERT_FALSE(margin);
  EXPECT_EQ(margin.error().what, "a coverage of 0.97 is more than the model's calibration supports");
  EXPECT_EQ(margin.error().hint, "Use at most 0.964.");
  EXPECT_FALSE(margins.at(0));
  EXPECT_FALSE(margins.at(1));
  EXPECT_FALSE(Margins({}).at(0.5));
}

TEST(Margins, More_coverage_is_never_a_smaller_margin) {
  const Margins margins({{ladder(40, 0.03), ladder(60), {-0.3, -0.2, 0.1, 0.1, 0.7, 0.8, 0.9, 1.0, 1.1}}});
  double before = -1;
  for (double coverage = 0.01; coverage < 0.9; coverage += 0.01) {
    const auto margin = margins.at(coverage);
    ASSERT_TRUE(margin);
    EXPECT_GE(*margin, before);
    before = *margin;
  }
}

TEST(Calibration, Residuals_are_sorted_into_their_folds) {
  const std::vector<double> residuals{0.3, -0.1, 0.2, 0.1};
  const std::vector<std::size_t> folds{0, 1, 0, 1};
  const auto calibration = calibrate(residuals, folds);
  EXPECT_EQ(calibration.folds, (std::vector<std::vector<double>>{{0.2, 0.3}, {-0.1, 0.1}}));
}

TEST(Calibration, For_jobs_like_those_of_the_folds_the_bound_reaches_its_coverage) {
  std::mt19937_64 random(7);
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    return sum;
  };
  std::size_t covered = 0;
  constexpr std::size_t kRounds = 400;
  constexpr std::size_t kAsked = 50;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::vector<double> residuals;
    std::vector<std::size_t> folds;
    for (std::size_t i = 0; i < 80; ++i) {
      residuals.push_back(normal());
      folds.push_back(i % 2);
    }
    const double margin = *calibrate(residuals, folds).margin(0.9);
    for (std::size_t i = 0; i < kAsked; ++i) covered += normal() <= margin ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(covered), 0.9 * kRounds * kAsked);
}

}  // namespace
}  // namespace dryfit::predictor
