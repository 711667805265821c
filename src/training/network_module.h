// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <span>
#include <vector>

#include "predictor/memory_model.h"
#include "predictor/network_shape.h"

namespace dryfit::training {

/// Two linear maps with a GELU between them, in the form of predictor::Kernels, and with dropout between them in
/// training.
class PerceptronImpl : public torch::nn::Module {
 public:
  PerceptronImpl(std::int64_t from, std::int64_t hidden, std::int64_t to, double dropped);
  torch::Tensor forward(const torch::Tensor& x);
  torch::nn::Linear& last() { return last_; }

 private:
  torch::nn::Linear first_;
  torch::nn::Linear last_;
  double dropped_;
};
TORCH_MODULE(Perceptron);

/// One direction of a GRU: the maps of its input and of its state to the three gates.
class DirectionImpl : public torch::nn::Module {
 public:
  DirectionImpl(std::int64_t width, std::int64_t units);
  torch::nn::Linear input, hidden;
};
TORCH_MODULE(Direction);

/// Both directions side by side, and a map back to the tokens' width.
class BidirectionalImpl : public torch::nn::Module {
 public:
  BidirectionalImpl(std::int64_t width, std::int64_t units);

  /// `x` is batch x tokens x width, `present` batch x tokens. Tokens that are not present come last and have no effect.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& present);

 private:
  Direction forward_, backward_;
  torch::nn::Linear out_;
};
TORCH_MODULE(Bidirectional);

/// A pre-norm Transformer layer.
class LayerImpl : public torch::nn::Module {
 public:
  explicit LayerImpl(const predictor::NetworkShape& shape);

  /// `hidden` is added to the scores of the keys: 0, or a large negative number for keys that are not present.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& hidden);

 private:
  torch::Tensor attention(const torch::Tensor& x, const torch::Tensor& hidden);

  std::int64_t heads_;
  torch::nn::LayerNorm norm1_;
  torch::nn::Linear qkv_, out_;
  torch::nn::LayerNorm norm2_;
  torch::nn::Linear up_, down_;
};
TORCH_MODULE(Layer);

/// Rows of network inputs as tensors.
struct InputBatch {
  torch::Tensor job;      ///< rows x features
  torch::Tensor tokens;   ///< rows x tokens x features, zero for missing tokens
  torch::Tensor present;  ///< rows x (1 + tokens): 1 for existing tokens, including token 0

  std::int64_t rows() const { return job.size(0); }
  InputBatch select(const torch::Tensor& places) const;
};

InputBatch batch_of(const predictor::NetworkShape& shape, std::span<const predictor::NetworkInput> inputs);

/// The network of a shape, for training: predictor::Network with the same weights gives the same answers. Its
/// named_parameters() are those of predictor::parameters_of(), in the same order.
class NetworkModuleImpl : public torch::nn::Module {
 public:
  /// The last map and the skip are zero, so the first answer is 0; everything else is drawn from torch's generator.
  explicit NetworkModuleImpl(const predictor::NetworkShape& shape);

  /// One answer per row.
  torch::Tensor forward(const InputBatch& batch);

 private:
  torch::Tensor token_zero(const torch::Tensor& job);
  torch::Tensor embedded(const torch::Tensor& tokens);

  predictor::NetworkShape shape_;
  torch::Tensor first_;
  Perceptron job_{nullptr};
  torch::nn::Linear token_{nullptr};
  Bidirectional gru_{nullptr};
  std::vector<Layer> layers_;
  torch::nn::LayerNorm norm_{nullptr};
  Perceptron head_{nullptr};
  torch::nn::Linear skip_{nullptr};
};
TORCH_MODULE(NetworkModule);

/// All parameters of a module one after the other, as predictor::Network takes them; and the reverse.
std::vector<float> weights_of(const torch::nn::Module& module);
void set_weights(torch::nn::Module& module, std::span<const float> weights);

}  // namespace dryfit::training
