// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "predictor/kernels.h"
#include "predictor/network_shape.h"

namespace dryfit::predictor {

/// A trained network for inference on one job at a time. Immutable, and so thread-safe.
class Network {
 public:
  /// `weights` are the parameters of the shape in their order; they are copied. An Error if there are more or fewer,
  /// one is not finite, or the shape is invalid.
  static Result<Network> of(const NetworkShape& shape, std::span<const float> weights,
                            const Kernels& kernels = best_kernels());

  /// The answer for a job of shape().job_features numbers and tokens of shape().token_features numbers each, all
  /// scaled: up to shape().most_tokens tokens, or exactly that many if each has a map of its own.
  float answer(std::span<const float> job, std::span<const float> tokens) const;

  const NetworkShape& shape() const { return shape_; }

 private:
  struct Norm {
    AlignedFloats weight;
    AlignedFloats bias;
  };
  struct Layer {
    Norm norm1;
    PackedLinear qkv;
    PackedLinear out;
    Norm norm2;
    PackedLinear up;
    PackedLinear down;
  };
  class Parts;
  struct Scratch;

  explicit Network(const NetworkShape& shape, const Kernels& kernels) : shape_(shape), kernels_(&kernels) {}
  void take(Parts parts);
  void embed(std::span<const float> job, std::span<const float> tokens, Scratch& scratch) const;
  void add_gru(Scratch& scratch) const;
  void add_layer(const Layer& layer, Scratch& scratch) const;
  void normalise(const Norm& norm, Scratch& scratch) const;
  float read_out(std::span<const float> job, Scratch& scratch) const;

  NetworkShape shape_;
  const Kernels* kernels_;
  std::vector<float> first_;  ///< the learned token, if there is one
  PackedLinear job0_, job1_;  ///< otherwise the MLP that computes it
  std::vector<PackedLinear> token_;
  PackedLinear gates_;  ///< the inputs' shares, forward and backward
  PackedLinear forward_, backward_;
  PackedLinear gru_out_;
  std::vector<Layer> layers_;
  Norm norm_;
  PackedLinear head0_;
  std::vector<float> head1_;
  float head1_bias_ = 0;
  std::vector<float> skip_;
};

}  // namespace dryfit::predictor
