// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/published_networks.h"

#include <torch/nn/init.h>
#include <torch/nn/options/rnn.h>
#include <torch/nn/options/transformercoder.h>
#include <torch/nn/options/transformerlayer.h>

#include <cmath>
#include <limits>

namespace dryfit::training {
namespace {

using torch::Tensor;

/// Initialised like MATLAB's layers: Glorot's weights, no bias.
torch::nn::Linear glorot(std::int64_t from, std::int64_t to) {
  torch::nn::Linear map(from, to);
  torch::nn::init::xavier_uniform_(map->weight);
  torch::nn::init::zeros_(map->bias);
  return map;
}

torch::nn::Linear orthogonal(std::int64_t from, std::int64_t to) {
  torch::nn::Linear map(torch::nn::LinearOptions(from, to).bias(false));
  torch::nn::init::orthogonal_(map->weight);
  return map;
}

constexpr std::int64_t kPaper1Units = 256;
constexpr double kPaper1Dropped = 0.1;
constexpr std::int64_t kPositions = 512;
constexpr double kPositionSpread = 0.01;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kKeyChannels = 32;
constexpr std::int64_t kForwardUnits = 6;
constexpr std::int64_t kBackwardUnits = 10;
constexpr double kPaper2Dropped = 0.01;

torch::nn::TransformerEncoderOptions paper1_encoder() {
  const auto layer =
      torch::nn::TransformerEncoderLayerOptions(2 * kPaper1Units, 8).dim_feedforward(2048).dropout(kPaper1Dropped);
  return {layer, 6};
}

}  // namespace

Paper1NetworkImpl::Paper1NetworkImpl(std::int64_t channels)
    : gru_(register_module(
          "gru", torch::nn::GRU(torch::nn::GRUOptions(channels, kPaper1Units).bidirectional(true).batch_first(true)))),
      encoder_(register_module("encoder", torch::nn::TransformerEncoder(paper1_encoder()))),
      out_(register_module("out", torch::nn::Linear(2 * kPaper1Units, 1))) {}

Tensor Paper1NetworkImpl::forward(const Tensor& x) {
  const auto states = std::get<0>(gru_(x));
  return out_(encoder_(states.transpose(0, 1)).mean(0)).squeeze(-1);
}

SelfAttentionImpl::SelfAttentionImpl(std::int64_t channels, std::int64_t heads, std::int64_t key_channels, bool causal)
    : heads_(heads),
      causal_(causal),
      query_(register_module("query", glorot(channels, heads * key_channels))),
      key_(register_module("key", glorot(channels, heads * key_channels))),
      value_(register_module("value", glorot(channels, heads * key_channels))),
      out_(register_module("out", glorot(heads * key_channels, channels))) {}

Tensor SelfAttentionImpl::by_head(const Tensor& x) const {
  return x.view({x.size(0), x.size(1), heads_, -1}).transpose(1, 2);
}

Tensor SelfAttentionImpl::forward(const Tensor& x) {
  const auto query = by_head(query_(x));
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(-1)));
  auto scores = torch::matmul(query * scale, by_head(key_(x)).transpose(-2, -1));
  if (causal_) {
    const auto later = torch::ones({x.size(1), x.size(1)}, torch::kBool).triu(1);
    scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
  }
  const auto mixed = torch::matmul(torch::softmax(scores, -1), by_head(value_(x)));
  return out_(mixed.transpose(1, 2).flatten(2));
}

LastStateImpl::LastStateImpl(std::int64_t channels, std::int64_t units)
    : units_(units),
      input_(register_module("input", glorot(channels, 3 * units))),
      hidden_(register_module("hidden", orthogonal(units, 3 * units))) {}

Tensor LastStateImpl::forward(const Tensor& x) {
  auto state = x.new_zeros({x.size(0), units_});
  for (const auto& gates : input_(x).unbind(1)) {
    const auto given = gates.chunk(3, -1);
    const auto own = hidden_(state).chunk(3, -1);
    const auto reset = torch::sigmoid(given[0] + own[0]);
    const auto update = torch::sigmoid(given[1] + own[1]);
    const auto fresh = torch::tanh(given[2] + reset * own[2]);
    state = torch::lerp(fresh, state, update);
  }
  return state;
}

Paper2NetworkImpl::Paper2NetworkImpl(std::int64_t channels)
    : position_(register_parameter("position", kPositionSpread * torch::randn({kPositions, channels}))),
      first_(register_module("first", SelfAttention(channels, kHeads, kKeyChannels, true))),
      second_(register_module("second", SelfAttention(channels, kHeads, kKeyChannels, false))),
      forward_(register_module("forward", LastState(channels, kForwardUnits))),
      backward_(register_module("backward", LastState(channels, kBackwardUnits))),
      out_(register_module("out", glorot(kForwardUnits + kBackwardUnits, 1))) {}

Tensor Paper2NetworkImpl::forward(const Tensor& x) {
  const auto attended = second_(first_(x + position_.narrow(0, 0, x.size(1))));
  const auto states = torch::cat({forward_(attended), backward_(attended.flip(1))}, -1);
  return out_(torch::dropout(torch::relu(states), kPaper2Dropped, is_training())).squeeze(-1);
}

}  // namespace dryfit::training
