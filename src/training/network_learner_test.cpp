// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/network_learner.h"

#include <gtest/gtest.h>

#include "predictor/data_set_testing.h"

namespace dryfit::training {
namespace {

using predictor::DataSet;
using predictor::testing::ignore;
using predictor::testing::mean_log_error;
using predictor::testing::mean_log_error_of_base;
using predictor::testing::sample_set;

NetworkPlan plan_over(bool blocks, std::size_t bins, std::size_t epochs) {
  return {
      .core = predictor::Core::bigru, .reads_blocks = blocks, .bins = bins, .recipe = {.epochs = epochs, .batch = 32}};
}

Result<std::vector<double>> learn(const NetworkPlan& plan, const DataSet& data) {
  return learner_of(plan, ignore)(data, 1, 1);
}

TEST(NetworkLearner, Networks_over_blocks_binned_and_plain_features_know_what_physics_does_not) {
  const auto data = sample_set(180);
  for (const auto& plan : {plan_over(true, 0, 40), plan_over(false, 6, 40), plan_over(false, 0, 40)}) {
    const auto predicted = learn(plan, data);
    ASSERT_TRUE(predicted) << predicted.error().what;
    EXPECT_LT(mean_log_error(data, 1, *predicted), 0.6 * mean_log_error_of_base(data, 1));
  }
}

TEST(NetworkLearner, Test_examples_are_not_learned_from) {
  auto data = sample_set(60);
  const auto plan = plan_over(true, 0, 2);
  const auto before = learn(plan, data);
  for (const auto place : data.folds.tested_in(1)) data.examples[place].truth *= 10;
  const auto after = learn(plan, data);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(*before, *after);
}

TEST(NetworkLearner, A_data_set_without_blocks_is_refused_by_networks_over_blocks) {
  auto data = sample_set(30);
  data.token_features = 0;
  EXPECT_EQ(learn(plan_over(true, 0, 1), data).error().what, "the data set 'sample' has no blocks");
  EXPECT_TRUE(learn(plan_over(false, 0, 1), data));
}

}  // namespace
}  // namespace dryfit::training
