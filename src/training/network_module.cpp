// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/network_module.h"

#include <torch/nn/init.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/check.h"

namespace dryfit::training {
namespace {

using torch::Tensor;

constexpr double kDropped = 0.1;
constexpr double kHidden = -1e9;
constexpr double kFirstSpread = 0.02;

std::int64_t size(std::size_t value) { return static_cast<std::int64_t>(value); }

torch::nn::LayerNorm layer_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

Tensor tanh_gelu(const Tensor& x) { return torch::gelu(x, "tanh"); }

/// Initialised like torch::nn::GRU.
void draw_gru(torch::nn::Module& module, std::int64_t units) {
  const double limit = 1 / std::sqrt(static_cast<double>(units));
  for (auto& parameter : module.parameters()) torch::nn::init::uniform_(parameter, -limit, limit);
}

Tensor joined(const Tensor& forward, const Tensor& backward) { return torch::stack({forward, backward}); }

}  // namespace

PerceptronImpl::PerceptronImpl(std::int64_t from, std::int64_t hidden, std::int64_t to, double dropped)
    : first_(register_module("0", torch::nn::Linear(from, hidden))),
      last_(register_module("1", torch::nn::Linear(hidden, to))),
      dropped_(dropped) {}

Tensor PerceptronImpl::forward(const Tensor& x) {
  return last_(torch::dropout(tanh_gelu(first_(x)), dropped_, is_training() && dropped_ > 0));
}

DirectionImpl::DirectionImpl(std::int64_t width, std::int64_t units)
    : input(register_module("input", torch::nn::Linear(width, 3 * units))),
      hidden(register_module("hidden", torch::nn::Linear(units, 3 * units))) {
  draw_gru(*this, units);
}

BidirectionalImpl::BidirectionalImpl(std::int64_t width, std::int64_t units)
    : forward_(register_module("forward", Direction(width, units))),
      backward_(register_module("backward", Direction(width, units))),
      out_(register_module("out", torch::nn::Linear(2 * units, width))) {}

/// Both directions share one loop: the second reads the tokens from the end, and its state stays zero until the first
/// token that is present.
Tensor BidirectionalImpl::forward(const Tensor& x, const Tensor& present) {
  const auto gates = joined(forward_->input(x), backward_->input(x).flip(1)).unbind(2);
  const auto here = joined(present, present.flip(1)).unsqueeze(-1).unbind(2);
  const auto weight = joined(forward_->hidden->weight, backward_->hidden->weight).transpose(1, 2);
  const auto bias = joined(forward_->hidden->bias, backward_->hidden->bias).unsqueeze(1);
  const auto units = weight.size(1);
  auto state = x.new_zeros({2, x.size(0), units});
  std::vector<Tensor> states;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const auto own = torch::baddbmm(bias, state, weight);
    const auto both = torch::sigmoid(gates[i].narrow(-1, 0, 2 * units) + own.narrow(-1, 0, 2 * units)).chunk(2, -1);
    const auto fresh = torch::tanh(gates[i].narrow(-1, 2 * units, units) + both[0] * own.narrow(-1, 2 * units, units));
    state = torch::lerp(fresh, state, both[1]) * here[i];
    states.push_back(state);
  }
  const auto all = torch::stack(states, 2);
  return out_(torch::cat({all[0], all[1].flip(1)}, -1));
}

LayerImpl::LayerImpl(const predictor::NetworkShape& shape)
    : heads_(size(shape.heads)),
      norm1_(register_module("norm1", layer_norm(size(shape.width)))),
      qkv_(register_module("qkv", torch::nn::Linear(size(shape.width), 3 * size(shape.width)))),
      out_(register_module("out", torch::nn::Linear(size(shape.width), size(shape.width)))),
      norm2_(register_module("norm2", layer_norm(size(shape.width)))),
      up_(register_module("up", torch::nn::Linear(size(shape.width), size(shape.feed_forward)))),
      down_(register_module("down", torch::nn::Linear(size(shape.feed_forward), size(shape.width)))) {
  torch::nn::init::xavier_uniform_(qkv_->weight);
  torch::nn::init::zeros_(qkv_->bias);
  torch::nn::init::zeros_(out_->bias);
}

Tensor LayerImpl::attention(const Tensor& x, const Tensor& hidden) {
  const auto rows = x.size(0);
  const auto tokens = x.size(1);
  const auto width = x.size(2);
  const auto parts = qkv_(x).view({rows, tokens, 3, heads_, width / heads_}).permute({2, 0, 3, 1, 4}).unbind(0);
  const double scale = 1 / std::sqrt(static_cast<double>(width / heads_));
  const auto scores = torch::matmul(parts[0] * scale, parts[1].transpose(-2, -1)) + hidden;
  const auto mixed = torch::matmul(torch::softmax(scores, -1), parts[2]);
  return out_(mixed.transpose(1, 2).reshape({rows, tokens, width}));
}

Tensor LayerImpl::forward(const Tensor& x, const Tensor& hidden) {
  const auto attended = x + attention(norm1_(x), hidden);
  return attended + down_(tanh_gelu(up_(norm2_(attended))));
}

InputBatch InputBatch::select(const Tensor& places) const {
  return {job.index_select(0, places), tokens.index_select(0, places), present.index_select(0, places)};
}

InputBatch batch_of(const predictor::NetworkShape& shape, std::span<const predictor::NetworkInput> inputs) {
  std::size_t most = 0;
  for (const auto& input : inputs) most = std::max(most, input.tokens.size() / shape.token_features);
  const auto rows = size(inputs.size());
  InputBatch batch{torch::empty({rows, size(shape.job_features)}),
                   torch::zeros({rows, size(most), size(shape.token_features)}), torch::zeros({rows, size(most) + 1})};
  auto* job = batch.job.mutable_data_ptr<float>();
  auto* tokens = batch.tokens.mutable_data_ptr<float>();
  auto* present = batch.present.mutable_data_ptr<float>();
  for (const auto& input : inputs) {
    job = std::ranges::copy(input.job, job).out;
    std::ranges::copy(input.tokens, tokens);
    std::fill_n(present, 1 + input.tokens.size() / shape.token_features, 1.0f);
    tokens += most * shape.token_features;
    present += most + 1;
  }
  return batch;
}

NetworkModuleImpl::NetworkModuleImpl(const predictor::NetworkShape& shape) : shape_(shape) {
  const auto width = size(shape.width);
  const auto features = size(shape.job_features);
  const auto hidden = size(shape.hidden);
  if (shape.has_learned_token()) {
    first_ = register_parameter("first", kFirstSpread * torch::randn({width}));
  } else {
    job_ = register_module("job", Perceptron(features, hidden, width, 0));
  }
  token_ = register_module("token", torch::nn::Linear(size(shape.token_features), size(shape.token_maps) * width));
  if (shape.gru_units > 0) gru_ = register_module("gru", Bidirectional(width, size(shape.gru_units)));
  auto layers = std::make_shared<torch::nn::Module>();
  for (std::size_t i = 0; i < shape.layers; ++i) {
    layers_.push_back(layers->register_module(std::to_string(i), Layer(shape)));
  }
  register_module("layers", layers);
  norm_ = register_module("norm", layer_norm(width));
  head_ = register_module("head", Perceptron(2 * width, hidden, 1, kDropped));
  skip_ = register_module("skip", torch::nn::Linear(torch::nn::LinearOptions(features, 1).bias(false)));
  for (auto& parameter : head_->last()->parameters()) torch::nn::init::zeros_(parameter);
  torch::nn::init::zeros_(skip_->weight);
}

Tensor NetworkModuleImpl::token_zero(const Tensor& job) {
  if (!shape_.has_learned_token()) return job_(job);
  return first_.expand({job.size(0), size(shape_.width)});
}

Tensor NetworkModuleImpl::embedded(const Tensor& tokens) {
  if (shape_.token_maps == 1) return token_(tokens);
  const auto maps = token_->weight.view({size(shape_.token_maps), size(shape_.width), size(shape_.token_features)});
  const auto by_token = torch::bmm(tokens.transpose(0, 1), maps.transpose(1, 2)).transpose(0, 1);
  return by_token + token_->bias.view({size(shape_.token_maps), size(shape_.width)});
}

Tensor NetworkModuleImpl::forward(const InputBatch& batch) {
  auto x = torch::cat({token_zero(batch.job).unsqueeze(1), embedded(batch.tokens)}, 1);
  if (gru_) x = x + gru_(x, batch.present);
  const auto hidden = ((1 - batch.present) * kHidden).unsqueeze(1).unsqueeze(1);
  for (auto& layer : layers_) x = layer(x, hidden);
  x = norm_(x);
  const auto count = batch.present.sum(1, true);
  const auto mean = (x * batch.present.unsqueeze(-1)).sum(1) / count;
  return (head_(torch::cat({x.select(1, 0), mean}, -1)) + skip_(batch.job)).squeeze(-1);
}

std::vector<float> weights_of(const torch::nn::Module& module) {
  std::vector<float> weights;
  for (const auto& parameter : module.parameters()) {
    const auto values = parameter.detach().contiguous();
    weights.insert(weights.end(), values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel());
  }
  return weights;
}

void set_weights(torch::nn::Module& module, std::span<const float> weights) {
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : module.parameters()) {
    const auto count = static_cast<std::size_t>(parameter.numel());
    DRYFIT_CHECK(weights.size() >= count);
    const auto values = torch::tensor(c10::ArrayRef<float>(weights.data(), count));
    parameter.copy_(values.view(parameter.sizes()));
    weights = weights.subspan(count);
  }
  DRYFIT_CHECK(weights.empty());
}

}  // namespace dryfit::training
