// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/network.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

std::vector<float> copied(std::span<const float> values) { return {values.begin(), values.end()}; }

std::vector<float> joined(std::span<const float> first, std::span<const float> second) {
  auto both = copied(first);
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

float dot(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
}

}  // namespace

/// Takes parameters off the weights, in the order of parameters_of().
class Network::Parts {
 public:
  explicit Parts(std::span<const float> weights) : rest_(weights) {}

  std::span<const float> next(std::size_t size) {
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  PackedLinear linear(std::size_t to, std::size_t from) {
    const auto weight = next(to * from);
    return pack(weight, next(to), from);
  }
  std::vector<PackedLinear> linears(std::size_t count, std::size_t to, std::size_t from) {
    const auto weights = next(count * to * from);
    const auto biases = next(count * to);
    std::vector<PackedLinear> maps;
    for (std::size_t i = 0; i < count; ++i) {
      maps.push_back(pack(weights.subspan(i * to * from, to * from), biases.subspan(i * to, to), from));
    }
    return maps;
  }
  Norm norm(std::size_t width) {
    const auto weight = next(width);
    const auto bias = next(width);
    return {{weight.begin(), weight.end()}, {bias.begin(), bias.end()}};
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const float> rest_;
};

/// Intermediate rows of the network. Each thread keeps its own, so that an answer costs no allocation.
struct Network::Scratch {
  std::size_t rows = 0;
  AlignedFloats x;       ///< the tokens: rows of the network's width, at least two
  AlignedFloats normed;  ///< the same, normalised
  AlignedFloats wide;    ///< rows of the widest layer

  void make_room(const NetworkShape& shape, std::size_t count) {
    rows = count;
    grow(x, std::max<std::size_t>(rows, 2) * shape.width);
    grow(normed, rows * std::max(shape.width, 2 * shape.gru_units));
    grow(wide, rows * std::max({3 * shape.width, 6 * shape.gru_units, shape.feed_forward, shape.hidden}));
  }

 private:
  static void grow(AlignedFloats& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
  }
};

Result<Network> Network::of(const NetworkShape& shape, std::span<const float> weights, const Kernels& kernels) {
  if (auto status = check(shape); !status) return status.error();
  const auto expected = parameter_count(shape);
  if (weights.size() != expected) {
    return Error{"the network has " + std::to_string(weights.size()) + " weights where its shape needs " +
                     std::to_string(expected),
                 ""};
  }
  if (!std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); })) {
    return Error{"a weight of the network is not a finite number", "Train it again."};
  }
  Network network(shape, kernels);
  network.take(Parts(weights));
  return network;
}

void Network::take(Parts parts) {
  const auto& s = shape_;
  if (s.has_learned_token()) {
    first_ = copied(parts.next(s.width));
  } else {
    job0_ = parts.linear(s.hidden, s.job_features);
    job1_ = parts.linear(s.width, s.hidden);
  }
  token_ = parts.linears(s.token_maps, s.width, s.token_features);
  if (s.gru_units > 0) {
    const std::size_t gates = 3 * s.gru_units;
    const auto forward = parts.next(gates * s.width);
    const auto forward_bias = parts.next(gates);
    forward_ = parts.linear(gates, s.gru_units);
    const auto backward = parts.next(gates * s.width);
    const auto backward_bias = parts.next(gates);
    backward_ = parts.linear(gates, s.gru_units);
    gates_ = pack(joined(forward, backward), joined(forward_bias, backward_bias), s.width);
    gru_out_ = parts.linear(s.width, 2 * s.gru_units);
  }
  for (std::size_t i = 0; i < s.layers; ++i) {
    auto& layer = layers_.emplace_back();
    layer.norm1 = parts.norm(s.width);
    layer.qkv = parts.linear(3 * s.width, s.width);
    layer.out = parts.linear(s.width, s.width);
    layer.norm2 = parts.norm(s.width);
    layer.up = parts.linear(s.feed_forward, s.width);
    layer.down = parts.linear(s.width, s.feed_forward);
  }
  norm_ = parts.norm(s.width);
  head0_ = parts.linear(s.hidden, 2 * s.width);
  head1_ = copied(parts.next(s.hidden));
  head1_bias_ = parts.next(1).front();
  skip_ = copied(parts.next(s.job_features));
  DRYFIT_CHECK(parts.empty());
}

void Network::embed(std::span<const float> job, std::span<const float> tokens, Scratch& scratch) const {
  if (shape_.has_learned_token()) {
    std::ranges::copy(first_, scratch.x.begin());
  } else {
    kernels_->linear(job0_.view(), job.data(), 1, scratch.wide.data());
    kernels_->gelu(scratch.wide.data(), shape_.hidden);
    kernels_->linear(job1_.view(), scratch.wide.data(), 1, scratch.x.data());
  }
  float* x = scratch.x.data() + shape_.width;
  if (token_.size() == 1) {
    kernels_->linear(token_.front().view(), tokens.data(), scratch.rows - 1, x);
    return;
  }
  for (std::size_t i = 0; i < token_.size(); ++i) {
    kernels_->linear(token_[i].view(), tokens.data() + i * shape_.token_features, 1, x + i * shape_.width);
  }
}

void Network::add_gru(Scratch& scratch) const {
  kernels_->linear(gates_.view(), scratch.x.data(), scratch.rows, scratch.wide.data());
  kernels_->bigru(forward_.view(), backward_.view(), scratch.wide.data(), scratch.rows, scratch.normed.data());
  kernels_->add_linear(gru_out_.view(), scratch.normed.data(), scratch.rows, scratch.x.data());
}

void Network::normalise(const Norm& norm, Scratch& scratch) const {
  kernels_->layer_norm(scratch.x.data(), scratch.rows, shape_.width, norm.weight.data(), norm.bias.data(),
                       scratch.normed.data());
}

void Network::add_layer(const Layer& layer, Scratch& scratch) const {
  normalise(layer.norm1, scratch);
  kernels_->linear(layer.qkv.view(), scratch.normed.data(), scratch.rows, scratch.wide.data());
  kernels_->attention(scratch.wide.data(), scratch.rows, shape_.width, shape_.heads, scratch.normed.data());
  kernels_->add_linear(layer.out.view(), scratch.normed.data(), scratch.rows, scratch.x.data());
  normalise(layer.norm2, scratch);
  kernels_->linear(layer.up.view(), scratch.normed.data(), scratch.rows, scratch.wide.data());
  kernels_->gelu(scratch.wide.data(), scratch.rows * shape_.feed_forward);
  kernels_->add_linear(layer.down.view(), scratch.wide.data(), scratch.rows, scratch.x.data());
}

float Network::read_out(std::span<const float> job, Scratch& scratch) const {
  normalise(norm_, scratch);
  const std::size_t width = shape_.width;
  const auto both = std::span(scratch.x).first(2 * width);
  std::copy_n(scratch.normed.begin(), width, both.begin());
  kernels_->mean(scratch.normed.data(), scratch.rows, width, both.data() + width);
  kernels_->linear(head0_.view(), both.data(), 1, scratch.wide.data());
  kernels_->gelu(scratch.wide.data(), shape_.hidden);
  return dot(head1_, scratch.wide) + head1_bias_ + dot(skip_, job);
}

float Network::answer(std::span<const float> job, std::span<const float> tokens) const {
  const std::size_t count = tokens.size() / shape_.token_features;
  DRYFIT_CHECK(job.size() == shape_.job_features && tokens.size() == count * shape_.token_features);
  DRYFIT_CHECK(count <= shape_.most_tokens && (!shape_.has_learned_token() || count == shape_.token_maps));
  thread_local Scratch scratch;
  scratch.make_room(shape_, count + 1);
  embed(job, tokens, scratch);
  if (shape_.gru_units > 0) add_gru(scratch);
  for (const auto& layer : layers_) add_layer(layer, scratch);
  return read_out(job, scratch);
}

}  // namespace dryfit::predictor
