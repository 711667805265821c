// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/network_module.h"

#include <gtest/gtest.h>

#include "predictor/network.h"
#include "predictor/network_reference.h"

namespace dryfit::training {
namespace {

using predictor::Core;
using predictor::Network;
using predictor::NetworkInput;
using predictor::NetworkShape;

std::vector<NetworkShape> all_shapes() {
  std::vector<NetworkShape> shapes;
  for (const auto core : {Core::bigru_transformer, Core::bigru, Core::transformer}) {
    shapes.push_back(predictor::sequence_shape(core, 39, 25));
    shapes.push_back(predictor::flat_shape(core, 8, 16));
    shapes.push_back(predictor::flat_shape(core, 8, 0));
  }
  return shapes;
}

std::vector<float> noise(std::size_t size, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (auto& value : values) value = normal(random);
  return values;
}

/// Rows of different lengths, so that some are padded.
std::vector<NetworkInput> inputs_of(const NetworkShape& shape) {
  std::mt19937_64 random(1);
  std::vector<NetworkInput> inputs;
  for (const std::size_t tokens : {7, 16, 1, 0, 12}) {
    const auto count = shape.has_learned_token() ? shape.token_maps : tokens;
    inputs.push_back({noise(shape.job_features, random), noise(count * shape.token_features, random)});
  }
  return inputs;
}

TEST(NetworkModule, Its_parameters_are_those_of_the_shape_in_their_order) {
  for (const auto& shape : all_shapes()) {
    const auto expected = predictor::parameters_of(shape);
    const NetworkModule module(shape);
    const auto found = module->named_parameters();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found[i].key(), expected[i].name);
      EXPECT_EQ(static_cast<std::size_t>(found[i].value().numel()), expected[i].size()) << expected[i].name;
    }
  }
}

TEST(NetworkModule, The_inference_without_dependencies_answers_as_libtorch_does) {
  std::uint64_t seed = 0;
  for (const auto& shape : all_shapes()) {
    const auto weights = predictor::testing::random_weights(shape, ++seed);
    NetworkModule module(shape);
    set_weights(*module, weights);
    module->eval();
    const auto inputs = inputs_of(shape);
    const auto answers = module(batch_of(shape, inputs)).detach();
    const auto network = Network::of(shape, weights);
    ASSERT_TRUE(network) << network.error().what;
    for (std::size_t row = 0; row < inputs.size(); ++row) {
      const double expected = answers[static_cast<std::int64_t>(row)].item<double>();
      EXPECT_NEAR(network->answer(inputs[row].job, inputs[row].tokens), expected, 1e-5 * (1 + std::abs(expected)))
          << "shape " << seed << " row " << row;
    }
  }
}

TEST(NetworkModule, Weights_come_out_as_they_went_in) {
  const auto shape = predictor::sequence_shape(Core::bigru_transformer, 39, 25);
  const auto weights = predictor::testing::random_weights(shape, 1);
  NetworkModule module(shape);
  set_weights(*module, weights);
  EXPECT_EQ(weights_of(*module), weights);
}

TEST(NetworkModule, An_untaught_network_answers_zero) {
  for (const auto& shape : all_shapes()) {
    NetworkModule module(shape);
    EXPECT_EQ(module(batch_of(shape, inputs_of(shape))).abs().max().item<float>(), 0);
  }
}

}  // namespace
}  // namespace dryfit::training
