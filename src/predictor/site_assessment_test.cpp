// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/site_assessment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dryfit::predictor {
namespace {

const SiteGroup kResnets{"rtx-4090-24gb", "resnet"}, kTransformers{"rtx-4090-24gb", "vit"};

/// A job whose bound of 1200 at 90 % it was given.
SitePair job(double actual, const SiteGroup& group = kResnets, bool at_least = false) {
  return {.group = group, .median = 1000, .upper = 1200, .coverage = 0.9, .actual = actual, .at_least = at_least};
}

TEST(SiteAssessment, Coverage_and_over_allocation_of_the_old_bounds_are_counted) {
  const std::vector<SitePair> pairs{job(1000), job(600), job(1500), job(1200)};
  const auto all = assess(pairs, 0.9).all;
  EXPECT_EQ(all.before.jobs, 4u);
  EXPECT_EQ(all.before.covered, 3u);
  EXPECT_NEAR(all.before.over_allocation, (0.2 + 1.0 - 0.2 + 0.0) / 4, 1e-12);
}

TEST(SiteAssessment, A_job_that_ran_out_of_memory_counts_only_above_its_bound) {
  const std::vector<SitePair> pairs{job(1000), job(1100, kResnets, true), job(1300, kResnets, true)};
  const auto before = assess(pairs, 0.9).all.before;
  EXPECT_EQ(before.jobs, 2u);
  EXPECT_EQ(before.covered, 1u);
  EXPECT_EQ(before.finished, 1u);
}

TEST(SiteAssessment, Bounds_that_are_too_low_are_raised_by_other_records_than_the_jobs_own) {
  std::vector<SitePair> pairs;
  for (int i = 0; i < 200; ++i) pairs.push_back(job(1100 + 2 * i));
  const auto all = assess(pairs, 0.9).all;
  EXPECT_LT(all.before.coverage(), 0.3);
  EXPECT_NEAR(all.after.coverage(), 0.9, 0.03);
  EXPECT_GT(all.after.over_allocation, all.before.over_allocation);
}

TEST(SiteAssessment, A_single_record_cannot_correct_itself) {
  const std::vector<SitePair> pairs{job(3000)};
  EXPECT_EQ(assess(pairs, 0.9).all.after.covered, 0u);
}

TEST(SiteAssessment, Groups_are_separate_and_in_the_order_of_their_names) {
  std::vector<SitePair> pairs;
  for (int i = 0; i < 100; ++i) pairs.push_back(job(1500, kTransformers));
  for (int i = 0; i < 100; ++i) pairs.push_back(job(900, kResnets));
  const auto result = assess(pairs, 0.9);
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_EQ(result.groups[0].group, kResnets);
  EXPECT_EQ(result.groups[0].before.coverage(), 1);
  EXPECT_EQ(result.groups[1].before.coverage(), 0);
  EXPECT_GT(result.groups[1].shift, std::log(1500.0 / 1200) * 0.9);
}

TEST(SiteAssessment, Recent_excesses_are_a_drift_only_when_chance_does_not_explain_them) {
  std::vector<SitePair> pairs(100, job(1000));
  for (int i = 0; i < 8; ++i) pairs.push_back(job(1300));
  const auto few = assess(pairs, 0.9, 50).all.recent;
  EXPECT_EQ(few.jobs, 50u);
  EXPECT_EQ(few.exceeded, 8u);
  EXPECT_FALSE(few.is_drift());
  for (int i = 0; i < 8; ++i) pairs.push_back(job(1300));
  EXPECT_TRUE(assess(pairs, 0.9, 50).all.recent.is_drift());
}

TEST(SiteAssessment, Old_excesses_are_not_a_drift) {
  std::vector<SitePair> pairs(30, job(1300));
  pairs.insert(pairs.end(), 60, job(1000));
  EXPECT_EQ(assess(pairs, 0.9, 50).all.recent.exceeded, 0u);
}

TEST(SiteAssessment, A_bound_of_another_coverage_is_converted_to_the_requested_one) {
  const std::vector<SitePair> pairs{job(1300)};
  EXPECT_EQ(assess(pairs, 0.9).all.before.covered, 0u);
  EXPECT_EQ(assess(pairs, 0.99).all.before.covered, 1u);  // 1000 · 1.2^(2.326 / 1.282) = 1392
}

TEST(SiteAssessment, Nothing_gives_nothing) {
  const auto result = assess({}, 0.9);
  EXPECT_EQ(result.all.before.jobs, 0u);
  EXPECT_TRUE(result.groups.empty());
  EXPECT_FALSE(result.all.recent.is_drift());
}

}  // namespace
}  // namespace dryfit::predictor
