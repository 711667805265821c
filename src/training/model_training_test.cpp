// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/model_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/model_file.h"
#include "training/job_testing.h"

namespace dryfit::training {
namespace {

using predictor::Core;
using predictor::FeatureSet;
using testing::measured_jobs;

const predictor::ModelCard kCard{"tiny", "made up", "2026-01-01", "none", "unknown", "Apache-2.0"};

ModelPlan short_plan(bool reads_blocks, FeatureSet features) {
  return {.reads_blocks = reads_blocks, .features = features, .recipe = {.epochs = 2, .batch = 16}};
}

std::string bytes_of(const ModelPlan& plan, const std::vector<std::uint64_t>& seeds) {
  const auto model = train_model(measured_jobs(40), plan, seeds, kCard, testing::ignore);
  EXPECT_TRUE(model) << model.error().what;
  return model ? predictor::to_bytes(*model) : "";
}

TEST(ModelTraining, The_same_jobs_and_seeds_give_the_same_model_file_to_the_byte) {
  for (const bool reads_blocks : {true, false}) {
    const auto plan = short_plan(reads_blocks, FeatureSet::layers);
    EXPECT_EQ(bytes_of(plan, {1, 2}), bytes_of(plan, {1, 2}));
    EXPECT_NE(bytes_of(plan, {1}), bytes_of(plan, {2}));
  }
}

TEST(ModelTraining, A_member_does_not_depend_on_those_before_it) {
  const auto jobs = measured_jobs(40);
  const auto plan = short_plan(true, FeatureSet::plain);
  const std::vector<std::uint64_t> both{1, 2};
  const std::vector<std::uint64_t> second{2};
  const auto pair = train_model(jobs, plan, both, kCard, testing::ignore);
  const auto alone = train_model(jobs, plan, second, kCard, testing::ignore);
  ASSERT_TRUE(pair && alone);
  EXPECT_EQ(pair->members[1], alone->members[0]);
}

double mean_log_error(const Jobs& jobs, const predictor::MemoryModel& model) {
  const auto predictor = predictor::MemoryPredictor::of(model);
  EXPECT_TRUE(predictor) << predictor.error().what;
  double sum = 0;
  for (const auto& job : jobs) sum += std::abs(std::log(*predictor->peak_mib(job.job) / job.measured_mib));
  return sum / static_cast<double>(jobs.size());
}

TEST(ModelTraining, A_trained_model_knows_what_physics_does_not) {
  const auto jobs = measured_jobs(120);
  const Jobs known(jobs.begin(), jobs.begin() + 80);
  const Jobs unseen(jobs.begin() + 80, jobs.end());
  const std::vector<std::uint64_t> seeds{1};
  ModelPlan plan{.recipe = {.epochs = 60, .batch = 16}};
  const auto learned = train_model(known, plan, seeds, kCard, testing::ignore);
  plan.recipe.epochs = 1;
  plan.recipe.learning_rate = 1e-9;
  const auto physics = train_model(known, plan, seeds, kCard, testing::ignore);
  ASSERT_TRUE(learned && physics);
  EXPECT_LT(mean_log_error(unseen, *learned), 0.5 * mean_log_error(unseen, *physics));
}

TEST(ModelTraining, Without_jobs_there_is_no_model) {
  EXPECT_EQ(train_model({}, {}, {}, kCard, testing::ignore).error().what, "no jobs to learn from");
}

}  // namespace
}  // namespace dryfit::training
