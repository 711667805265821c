// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/published_fitting.h"

#include <gtest/gtest.h>

#include <cmath>

#include "training/job_testing.h"

namespace dryfit::training {
namespace {

using testing::measured_jobs;

PublishedPlan paper2(Reading reading, std::size_t epochs) {
  PublishedPlan plan{.paper = Paper::two, .reading = reading, .recipe = published_recipe(Paper::two)};
  plan.recipe.epochs = epochs;
  plan.recipe.batch = 16;
  return plan;
}

double mean_relative_error(const Jobs& jobs, const std::vector<double>& peaks) {
  double sum = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) sum += std::abs(peaks[i] / jobs[i].measured_mib - 1);
  return sum / static_cast<double>(jobs.size());
}

TEST(PublishedFitting, Paper_2_learns_in_its_channel_reading) {
  const auto jobs = measured_jobs(60);
  const auto early = learner_of(paper2(Reading::channels, 1), testing::ignore)(jobs, jobs, 1);
  const auto late = learner_of(paper2(Reading::channels, 60), testing::ignore)(jobs, jobs, 1);
  ASSERT_TRUE(early && late);
  EXPECT_LT(mean_relative_error(jobs, *late), 0.5 * mean_relative_error(jobs, *early));
}

TEST(PublishedFitting, The_same_seed_gives_the_same_peaks_and_the_other_reading_others) {
  const auto jobs = measured_jobs(30);
  const auto first = learner_of(paper2(Reading::tokens, 3), testing::ignore)(jobs, jobs, 1);
  const auto again = learner_of(paper2(Reading::tokens, 3), testing::ignore)(jobs, jobs, 1);
  const auto other = learner_of(paper2(Reading::channels, 3), testing::ignore)(jobs, jobs, 1);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
}

TEST(PublishedFitting, No_peak_is_below_the_least_that_was_known) {
  auto jobs = measured_jobs(30);
  auto asked = jobs;
  for (auto& job : asked) job.job.estimate_mib *= 1e-6;
  const auto peaks = learner_of(paper2(Reading::channels, 20), testing::ignore)(jobs, asked, 1);
  ASSERT_TRUE(peaks);
  double least = jobs.front().measured_mib;
  for (const auto& job : jobs) least = std::min(least, job.measured_mib);
  for (const double peak : *peaks) EXPECT_GE(peak, least);
}

TEST(PublishedFitting, Paper_1_can_be_trained) {
  const auto jobs = measured_jobs(8);
  PublishedPlan plan{.paper = Paper::one, .recipe = published_recipe(Paper::one)};
  plan.recipe.epochs = 1;
  plan.recipe.batch = 8;
  const auto peaks = learner_of(plan, testing::ignore)(jobs, jobs, 1);
  ASSERT_TRUE(peaks) << peaks.error().what;
  EXPECT_EQ(peaks->size(), 8u);
}

TEST(PublishedFitting, Without_jobs_nothing_is_learned) {
  EXPECT_EQ(learner_of(paper2(Reading::channels, 1), testing::ignore)({}, {}, 1).error().what,
            "there are no jobs to learn from");
}

}  // namespace
}  // namespace dryfit::training
