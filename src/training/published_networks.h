// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/modules/transformercoder.h>

#include <cstdint>

namespace dryfit::training {

/// Note [Published networks]
/// Two papers combine a BiGRU and a Transformer for tables of jobs. They are here as published, for comparison, and are
/// not shipped. We decided what the papers leave open:
///
/// Paper 1, arXiv 2510.20985: "BiGRU (256 units, bidirectional), Transformer encoder (6 layers, 512 hidden, 8 heads),
/// feed-forward output", dropout 0.1. Left open: how a row becomes a sequence (below), the encoder's feed-forward width
/// (2048, torch's default), the place of its norm (after, as in the first Transformer), a position code (none: the GRU
/// knows the order), the readout (the mean over tokens, by one linear map).
///
/// Paper 2, DOI 10.54254/2755-2721/2025.26376: positions up to 512, 2 self-attention layers of 4 heads with 32 key
/// channels each, GRU of 6 units forward and 10 backward, ReLU, dropout 0.01. The names are those of MATLAB's layers,
/// so we read it as MATLAB would: a learned position table that is added; the attentions in series without residual,
/// norm or feed-forward, the first one causal; the last state of each GRU; the GRU's reset gate after the product, with
/// one bias. Left open: how a row becomes a sequence.
///
/// A row is one step with a channel per column, as in MATLAB's regression templates, or one step per column. Both
/// readings are implemented for both papers (published_fitting.h).

/// Paper 1's network. `x` is rows x tokens x channels; one answer per row.
class Paper1NetworkImpl : public torch::nn::Module {
 public:
  explicit Paper1NetworkImpl(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::nn::GRU gru_;
  torch::nn::TransformerEncoder encoder_;
  torch::nn::Linear out_;
};
TORCH_MODULE(Paper1Network);

/// Multi-head self-attention with a separate width for keys.
class SelfAttentionImpl : public torch::nn::Module {
 public:
  SelfAttentionImpl(std::int64_t channels, std::int64_t heads, std::int64_t key_channels, bool causal);

  /// Rows x tokens x channels, as is the result.
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor by_head(const torch::Tensor& x) const;

  std::int64_t heads_;
  bool causal_;
  torch::nn::Linear query_, key_, value_, out_;
};
TORCH_MODULE(SelfAttention);

/// A GRU with one bias that returns its last state.
class LastStateImpl : public torch::nn::Module {
 public:
  LastStateImpl(std::int64_t channels, std::int64_t units);

  /// Rows x tokens x channels to rows x units.
  torch::Tensor forward(const torch::Tensor& x);

 private:
  std::int64_t units_;
  torch::nn::Linear input_, hidden_;
};
TORCH_MODULE(LastState);

/// Paper 2's network. `x` is rows x tokens x channels; one answer per row.
class Paper2NetworkImpl : public torch::nn::Module {
 public:
  explicit Paper2NetworkImpl(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor position_;
  SelfAttention first_, second_;
  LastState forward_, backward_;
  torch::nn::Linear out_;
};
TORCH_MODULE(Paper2Network);

}  // namespace dryfit::training
