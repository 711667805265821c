// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/fitting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "predictor/network.h"

namespace dryfit::training {
namespace {

using predictor::Core;
using predictor::NetworkShape;

/// The answer is the job's first number, a little bent, and the tokens' mean.
Examples simple_examples(const NetworkShape& shape, std::size_t rows) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  Examples examples;
  for (std::size_t row = 0; row < rows; ++row) {
    predictor::NetworkInput input;
    for (std::size_t i = 0; i < shape.job_features; ++i) input.job.push_back(normal(random));
    const auto tokens = 1 + row % 4;
    double sum = 0;
    for (std::size_t i = 0; i < tokens * shape.token_features; ++i) sum += input.tokens.emplace_back(normal(random));
    examples.answers.push_back(0.3 * std::tanh(input.job[0]) + 0.1 * sum / static_cast<double>(tokens));
    examples.measured.push_back(std::exp(examples.answers.back()) * static_cast<double>(1 + row % 7));
    examples.groups.push_back(std::to_string(row % 10));
    examples.inputs.push_back(std::move(input));
  }
  return examples;
}

NetworkShape small_shape(Core core = Core::bigru_transformer) { return predictor::sequence_shape(core, 3, 2); }

Recipe short_recipe() { return {.epochs = 3, .batch = 16}; }

double mean_error(const NetworkShape& shape, const Examples& examples, const std::vector<float>& weights) {
  const auto network = predictor::Network::of(shape, weights);
  double sum = 0;
  for (std::size_t i = 0; i < examples.inputs.size(); ++i) {
    sum += std::abs(network->answer(examples.inputs[i].job, examples.inputs[i].tokens) - examples.answers[i]);
  }
  return sum / static_cast<double>(examples.inputs.size());
}

TEST(Fitting, Every_core_learns_a_simple_relation) {
  for (const auto core : {Core::bigru_transformer, Core::bigru, Core::transformer}) {
    const auto shape = small_shape(core);
    const auto examples = simple_examples(shape, 200);
    const auto fitted = fit_network(shape, examples, {.epochs = 25, .batch = 20}, 1);
    ASSERT_TRUE(fitted) << fitted.error().what;
    const std::vector<float> nothing(predictor::parameter_count(shape));
    EXPECT_LT(mean_error(shape, examples, fitted->weights), 0.25 * mean_error(shape, examples, nothing));
  }
}

TEST(Fitting, The_same_seed_gives_the_same_weights_and_another_others) {
  const auto shape = small_shape();
  const auto examples = simple_examples(shape, 60);
  const auto first = fit_network(shape, examples, short_recipe(), 7);
  const auto again = fit_network(shape, examples, short_recipe(), 7);
  const auto other = fit_network(shape, examples, short_recipe(), 8);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(first->weights, again->weights);
  EXPECT_EQ(first->loss, again->loss);
  EXPECT_NE(first->weights, other->weights);
}

TEST(Fitting, With_patience_it_stops_when_nothing_gets_better) {
  const auto shape = small_shape();
  auto examples = simple_examples(shape, 60);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (auto& answer : examples.answers) answer = 0.1 * normal(random);
  const auto fitted = fit_network(shape, examples, {.epochs = 200, .batch = 16, .patience = 3}, 1);
  ASSERT_TRUE(fitted) << fitted.error().what;
  EXPECT_LT(fitted->epochs, 200u);
  EXPECT_GE(fitted->epochs, 4u);
}

TEST(Fitting, What_cannot_be_learned_from_is_refused) {
  const auto shape = small_shape();
  auto examples = simple_examples(shape, 20);
  EXPECT_EQ(fit_network(shape, {}, short_recipe(), 1).error().what, "no rows to learn from");
  EXPECT_EQ(fit_network(shape, examples, {.batch = 0}, 1).error().what, "the recipe's batch is 0.000000");
  for (auto& group : examples.groups) group = "all";
  EXPECT_EQ(fit_network(shape, examples, {.patience = 1}, 1).error().what,
            "all rows are in one group, so none are left for validation");
  examples.answers[3] = -1e3;
  EXPECT_EQ(fit_network(shape, examples, short_recipe(), 1).error().what, "the loss diverged in epoch 1");
}

}  // namespace
}  // namespace dryfit::training
