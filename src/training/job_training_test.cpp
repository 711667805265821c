// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/job_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/job_estimator.h"
#include "predictor/job_model_file.h"
#include "training/harvest_testing.h"
#include "training/job_scores.h"

namespace dryfit::training {
namespace {

using predictor::Ending;
using predictor::Knowledge;
using testing::harvest_examples;

JobPlan short_plan(Members members) {
  JobPlan plan{.members = members, .recipe = harvest_recipe()};
  plan.recipe.epochs = 2;
  plan.recipe.batch = 16;
  plan.boosting.trees = 20;
  return plan;
}

std::string bytes_of(const HarvestExamples& examples, const JobPlan& plan, const std::vector<std::uint64_t>& seeds) {
  predictor::JobModel model{.card = {"tiny", "made up", "2026-01-01", "none", "unknown", "Apache-2.0"}};
  for (const auto knowledge : predictor::kAllKnowledge) {
    auto variant = train_variant(examples, knowledge, plan, seeds, testing::ignore_line);
    EXPECT_TRUE(variant) << variant.error().what;
    if (variant) model.variants.push_back(std::move(*variant));
  }
  EXPECT_TRUE(predictor::check(model));
  return predictor::to_bytes(model);
}

TEST(JobTraining, The_same_examples_and_seeds_give_the_same_model_file_to_the_byte) {
  const auto examples = harvest_examples(48);
  const auto plan = short_plan(Members::both);
  const auto bytes = bytes_of(examples, plan, {1, 2});
  EXPECT_EQ(bytes_of(examples, plan, {1, 2}), bytes);
  EXPECT_NE(bytes_of(examples, plan, {1, 3}), bytes);
}

TEST(JobTraining, The_plan_decides_which_members_answer) {
  const auto examples = harvest_examples(48);
  const std::vector<std::uint64_t> seeds{1, 2};
  const auto size_of = [&](Members members) {
    const auto variant = train_variant(examples, Knowledge::totals, short_plan(members), seeds, testing::ignore_line);
    EXPECT_TRUE(variant);
    return std::pair(variant->members.size(), variant->trees.size());
  };
  EXPECT_EQ(size_of(Members::networks), std::pair(std::size_t{2}, std::size_t{0}));
  EXPECT_EQ(size_of(Members::trees), std::pair(std::size_t{0}, std::size_t{2}));
  EXPECT_EQ(size_of(Members::both), std::pair(std::size_t{2}, std::size_t{2}));
}

TEST(JobTraining, Networks_learn_what_physics_does_not_know) {
  const auto examples = harvest_examples(144);
  const auto folds = fold_by_family(examples, 2);
  ASSERT_TRUE(folds);
  auto plan = short_plan(Members::networks);
  plan.recipe.epochs = 60;
  const std::vector<std::uint64_t> seeds{1};
  const auto predictions = predict_without_fold(examples, *folds, Knowledge::layers, plan, seeds, testing::ignore_line);
  ASSERT_TRUE(predictions) << predictions.error().what;
  EXPECT_LT(score_points(examples, predictions->networks).mean_error,
            0.6 * score_points(examples, predictions->physics).mean_error);
}

TEST(JobTraining, An_examples_own_family_is_not_learned_from) {
  auto examples = harvest_examples(96);
  const auto folds = fold_by_family(examples, 3);
  ASSERT_TRUE(folds);
  const std::vector<std::uint64_t> seeds{1};
  const auto predicted = [&] {
    return predict_without_fold(examples, *folds, Knowledge::layers, short_plan(Members::trees), seeds,
                                testing::ignore_line)
        ->answer;
  };
  const auto before = predicted();
  for (std::size_t i = 0; i < examples.size(); ++i) examples[i].bytes *= folds->fold_of[i] == 0 ? 3 : 1;
  const auto after = predicted();
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_TRUE(folds->fold_of[i] != 0 || before[i] == after[i]) << i;
  }
  EXPECT_NE(before, after);
}

TEST(JobTraining, Jobs_that_did_not_fit_are_predicted_but_not_learned_from) {
  auto examples = harvest_examples(60);
  const auto folds = fold_by_family(examples, 3);
  ASSERT_TRUE(folds);
  for (std::size_t i = 0; i < examples.size(); i += 5) examples[i].ending = Ending::does_not_fit;
  const auto plan = short_plan(Members::trees);
  const std::vector<std::uint64_t> seeds{1};
  const auto predictions = predict_without_fold(examples, *folds, Knowledge::totals, plan, seeds, testing::ignore_line);
  ASSERT_TRUE(predictions);
  const auto variant = train_variant(examples, Knowledge::totals, plan, seeds, testing::ignore_line);
  for (std::size_t i = 0; i < examples.size(); i += 5) {
    EXPECT_GT(predictions->answer[i], 0);
    examples[i].bytes *= 7;
  }
  EXPECT_EQ(train_variant(examples, Knowledge::totals, plan, seeds, testing::ignore_line)->base.weights,
            variant->base.weights);
  std::size_t calibrated = 0;
  for (const auto& fold : calibrate_variant(examples, *folds, *predictions).folds) calibrated += fold.size();
  EXPECT_EQ(calibrated, 48u);
}

TEST(JobTraining, Without_jobs_or_seeds_there_is_nothing_to_learn) {
  const std::vector<std::uint64_t> seeds{1};
  const auto plan = short_plan(Members::trees);
  EXPECT_EQ(train_variant({}, Knowledge::layers, plan, seeds, testing::ignore_line).error().what,
            "no fitting jobs to learn from");
  EXPECT_EQ(train_variant(harvest_examples(9), Knowledge::layers, plan, {}, testing::ignore_line).error().what,
            "no seed given");
}

}  // namespace
}  // namespace dryfit::training
