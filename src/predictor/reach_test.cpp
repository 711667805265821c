// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/reach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/job_features.h"

namespace dryfit::predictor {
namespace {

constexpr std::size_t kFirstFlag = kJobMeasures;

std::vector<double> features(double measure, double flag) {
  std::vector<double> features(kJobMeasures + kJobFlags, 3);
  features[0] = measure;
  features[kFirstFlag] = flag;
  return features;
}

TEST(Reach, Training_jobs_have_a_distance_of_at_most_one_and_the_farthest_exactly_one) {
  const std::vector<std::vector<double>> rows{features(2, 0), features(4, 1), features(10, 0)};
  const auto reach = fit_reach(rows);
  EXPECT_DOUBLE_EQ(reach.distance(rows[0]), 1);
  EXPECT_DOUBLE_EQ(reach.distance(rows[1]), 0.5);
  EXPECT_DOUBLE_EQ(reach.distance(rows[2]), 1);
}

TEST(Reach, The_ends_of_a_range_belong_to_it_however_they_are_rounded) {
  for (int n = 1; n < 200; ++n) {
    const std::vector<std::vector<double>> rows{features(std::log(n), 0), features(std::log(n + 104.3), 0)};
    const auto reach = fit_reach(rows);
    EXPECT_LE(reach.distance(rows[0]), 1) << n;
    EXPECT_LE(reach.distance(rows[1]), 1) << n;
  }
}

TEST(Reach, Outside_the_range_it_grows_with_the_distance) {
  const std::vector<std::vector<double>> rows{features(2, 0), features(10, 1)};
  const auto reach = fit_reach(rows);
  EXPECT_DOUBLE_EQ(reach.distance(features(14, 0)), 2);
  EXPECT_DOUBLE_EQ(reach.distance(features(-10, 0)), 4);
}

TEST(Reach, A_flag_that_no_job_had_is_far_away) {
  const std::vector<std::vector<double>> rows{features(2, 0), features(10, 0)};
  EXPECT_DOUBLE_EQ(fit_reach(rows).distance(features(6, 1)), Reach::kUnknownFlag);
}

TEST(Reach, A_little_more_of_what_never_varied_is_near) {
  const std::vector<std::vector<double>> rows{features(5, 0)};
  EXPECT_LT(fit_reach(rows).distance(features(5.34, 0)), 1);
  EXPECT_GT(fit_reach(rows).distance(features(5.36, 0)), 1);
}

TEST(Reach, Features_behind_the_flags_are_ignored) {
  auto row = features(5, 0);
  row.push_back(1e9);
  const std::vector<std::vector<double>> rows{features(5, 0)};
  EXPECT_DOUBLE_EQ(fit_reach(rows).distance(row), 0);
}

TEST(Reach, Only_a_job_beyond_it_widens_the_bound) {
  EXPECT_DOUBLE_EQ(widening(0.3, 0.5), 0);
  EXPECT_DOUBLE_EQ(widening(1, 0.5), 0);
  EXPECT_DOUBLE_EQ(widening(3, 0.5), 1);
  EXPECT_DOUBLE_EQ(widening(3, 0), 2 * Reach::kLeastWidening);
  EXPECT_DOUBLE_EQ(widening(1e9, 0.5), Reach::kMostWidths * 0.5);
}

TEST(Reach, A_model_that_was_scaled_widens_the_bound_by_the_logarithm_of_the_factor) {
  EXPECT_DOUBLE_EQ(scaling_widening(1, 0.5), 0);
  EXPECT_DOUBLE_EQ(scaling_widening(std::exp(1.0), 0.5), 0.5);
  EXPECT_DOUBLE_EQ(scaling_widening(4, 0.5), scaling_widening(0.25, 0.5));
  EXPECT_DOUBLE_EQ(scaling_widening(1e9, 0.5), Reach::kMostWidths * 0.5);
}

}  // namespace
}  // namespace dryfit::predictor
