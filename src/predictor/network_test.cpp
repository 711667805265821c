// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/network.h"

#include <gtest/gtest.h>

#include <limits>

#include "predictor/network_reference.h"

namespace dryfit::predictor {
namespace {

using testing::random_weights;
using testing::ReferenceNetwork;
using testing::Row;
using testing::Rows;

std::vector<NetworkShape> all_shapes() {
  std::vector<NetworkShape> shapes;
  for (const auto core : {Core::bigru_transformer, Core::bigru, Core::transformer}) {
    shapes.push_back(sequence_shape(core, 39, 25));
    shapes.push_back(flat_shape(core, 8, 16));
  }
  auto odd = sequence_shape(Core::bigru_transformer, 7, 3);
  odd.width = 48;
  odd.gru_units = 32;
  odd.heads = 2;
  odd.layers = 1;
  shapes.push_back(odd);
  return shapes;
}

std::vector<float> noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (auto& value : values) value = normal(random);
  return values;
}

double reference_answer(const NetworkShape& shape, const std::vector<float>& weights, const std::vector<float>& job,
                        const std::vector<float>& tokens) {
  Rows rows;
  for (std::size_t i = 0; i < tokens.size(); i += shape.token_features) {
    rows.emplace_back(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                      tokens.begin() + static_cast<std::ptrdiff_t>(i + shape.token_features));
  }
  return ReferenceNetwork(shape, weights).answer(Row(job.begin(), job.end()), rows);
}

TEST(Network, Every_shape_answers_as_the_slow_one_does_whatever_the_processor) {
  std::uint64_t seed = 0;
  for (const auto& shape : all_shapes()) {
    const auto weights = random_weights(shape, ++seed);
    for (const auto* kernels : usable_kernels()) {
      const auto network = Network::of(shape, weights, *kernels);
      ASSERT_TRUE(network) << network.error().what;
      for (const std::size_t tokens : {0, 1, 7, 16}) {
        const auto count = shape.has_learned_token() ? shape.token_maps : tokens;
        const auto job = noise(shape.job_features, ++seed);
        const auto token_values = noise(count * shape.token_features, ++seed);
        const double expected = reference_answer(shape, weights, job, token_values);
        EXPECT_NEAR(network->answer(job, token_values), expected, 2e-5 * (1 + std::abs(expected)))
            << kernels->name << " seed " << seed;
      }
    }
  }
}

TEST(Network, It_has_as_many_parameters_as_its_drawing) {
  EXPECT_EQ(parameter_count(sequence_shape(Core::bigru, 39, 25)), 15'656u);
  EXPECT_EQ(parameter_count(sequence_shape(Core::bigru_transformer, 39, 25)), 32'744u);
}

TEST(Network, Weights_that_are_too_few_or_no_numbers_are_refused) {
  const auto shape = sequence_shape(Core::bigru, 8, 25);
  auto weights = random_weights(shape, 1);
  weights.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Network::of(shape, weights).error().what, "a weight of the network is not a finite number");
  const auto count = weights.size();
  weights.pop_back();
  EXPECT_EQ(Network::of(shape, weights).error().what,
            "the network has " + std::to_string(count - 1) + " weights where its shape needs " + std::to_string(count));
}

TEST(Network, Shapes_that_make_no_sense_are_refused) {
  const auto problem_with = [](auto change) {
    auto shape = sequence_shape(Core::bigru_transformer, 8, 25);
    change(shape);
    const auto status = check(shape);
    return status ? std::string() : status.error().what;
  };
  EXPECT_EQ(problem_with([](NetworkShape&) {}), "");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.width = 40; }), "the network's width is invalid");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.heads = 0; }), "the network's number of heads is invalid");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.heads = 8; }), "the network's number of heads is invalid");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.gru_units = 1 << 20; }),
            "the network's number of GRU units is invalid");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.layers = 1000; }), "the network's number of layers is invalid");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.most_tokens = 128; }), "the network's number of tokens is invalid");
  EXPECT_EQ(problem_with([](NetworkShape& s) { s.token_maps = 3; }), "the network's number of tokens is invalid");
}

}  // namespace
}  // namespace dryfit::predictor
