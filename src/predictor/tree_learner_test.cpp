// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/tree_learner.h"

#include <gtest/gtest.h>

#include "predictor/data_set_testing.h"

namespace dryfit::predictor {
namespace {

const BoostingRecipe kShort{.trees = 60, .limits = {.leaves = 8, .least_rows = 2}, .rate = 0.2};

TEST(TreeLearner, Trees_know_what_physics_does_not) {
  const auto data = testing::sample_set(300);
  const auto predicted = tree_learner(kShort)(data, 1, 1);
  ASSERT_TRUE(predicted) << predicted.error().what;
  EXPECT_LT(testing::mean_log_error(data, 1, *predicted), 0.5 * testing::mean_log_error_of_base(data, 1));
}

TEST(TreeLearner, Test_examples_are_not_learned_from) {
  auto data = testing::sample_set(60);
  const auto before = tree_learner(kShort)(data, 2, 1);
  for (const auto place : data.folds.tested_in(2)) data.examples[place].truth *= 10;
  const auto after = tree_learner(kShort)(data, 2, 1);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(*before, *after);
}

TEST(TreeLearner, The_base_of_the_fold_is_what_the_answer_is_multiplied_with) {
  auto data = testing::sample_set(60);
  const auto before = tree_learner(kShort)(data, 0, 1);
  for (const auto place : data.folds.tested_in(0)) data.bases[0][place] *= 2;
  const auto after = tree_learner(kShort)(data, 0, 1);
  ASSERT_TRUE(before && after);
  for (std::size_t i = 0; i < before->size(); ++i) EXPECT_DOUBLE_EQ((*after)[i], 2 * (*before)[i]);
}

}  // namespace
}  // namespace dryfit::predictor
