// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/published_networks.h"

#include <gtest/gtest.h>

namespace dryfit::training {
namespace {

std::int64_t parameters_in(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& parameter : module.parameters()) count += parameter.numel();
  return count;
}

TEST(PublishedNetworks, Paper_1_is_of_the_published_size_and_answers_once_per_row) {
  Paper1Network tokens(1);
  EXPECT_EQ(parameters_in(*tokens), 19'312'641);
  tokens->eval();
  EXPECT_EQ(tokens(torch::rand({2, 8, 1})).sizes(), (std::vector<std::int64_t>{2}));
  // two directions, three gates of 256 units: 7 more weights each
  Paper1Network channels(8);
  EXPECT_EQ(parameters_in(*channels), 19'312'641 + 7 * 2 * 3 * 256);
  channels->eval();
  EXPECT_EQ(channels(torch::rand({2, 1, 8})).sizes(), (std::vector<std::int64_t>{2}));
}

TEST(PublishedNetworks, Paper_2_reads_a_row_as_channels_or_as_tokens) {
  // position 512 C; twice 3 (C 128 + 128) + 128 C + C; GRUs 3 u (C + u + 1); last 17
  Paper2Network channels(11);
  EXPECT_EQ(parameters_in(*channels),
            512 * 11 + 2 * (3 * (11 * 128 + 128) + 128 * 11 + 11) + 18 * (11 + 6 + 1) + 30 * (11 + 10 + 1) + 17);
  channels->eval();
  EXPECT_EQ(channels(torch::rand({5, 1, 11})).sizes(), (std::vector<std::int64_t>{5}));
  Paper2Network tokens(1);
  tokens->eval();
  EXPECT_EQ(tokens(torch::rand({5, 11, 1})).sizes(), (std::vector<std::int64_t>{5}));
}

TEST(PublishedNetworks, Causal_attention_does_not_see_what_comes_later) {
  for (const bool causal : {true, false}) {
    SelfAttention attention(3, 4, 32, causal);
    auto x = torch::rand({1, 5, 3});
    const auto before = attention(x);
    x = x.clone();
    x[0][4] += 1;
    const auto moved = (attention(x) - before).abs().amax({0, 2});
    EXPECT_EQ(moved[0].item<float>() > 0, !causal);
    EXPECT_GT(moved[4].item<float>(), 0);
  }
}

TEST(PublishedNetworks, The_state_of_one_step_is_that_of_the_formula) {
  LastState gru(1, 1);
  const torch::NoGradGuard no_gradients;
  auto parameters = gru->parameters();  // input weight, input bias, hidden weight
  parameters[0].copy_(torch::tensor({0.5f, -1.0f, 2.0f}).view({3, 1}));
  parameters[1].copy_(torch::tensor({0.1f, 0.2f, 0.3f}));
  parameters[2].copy_(torch::tensor({0.7f, -0.4f, 0.9f}).view({3, 1}));
  double state = 0;
  for (const double x : {0.6, -0.2}) {
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    const double reset = sigmoid(0.5 * x + 0.1 + 0.7 * state);
    const double update = sigmoid(-x + 0.2 - 0.4 * state);
    const double fresh = std::tanh(2 * x + 0.3 + reset * 0.9 * state);
    state = (1 - update) * fresh + update * state;
  }
  EXPECT_NEAR(gru(torch::tensor({0.6f, -0.2f}).view({1, 2, 1})).item<double>(), state, 1e-6);
}

}  // namespace
}  // namespace dryfit::training
