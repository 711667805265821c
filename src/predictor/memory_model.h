// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/features.h"
#include "predictor/job.h"
#include "predictor/network.h"
#include "predictor/physics_base.h"
#include "predictor/piecewise.h"
#include "predictor/scaler.h"

namespace dryfit::predictor {

/// The description of a model: what users should know before they trust it. No field may be empty.
struct ModelCard {
  std::string name;
  std::string data;    ///< what it was trained on
  std::string date;    ///< as the caller gives it; no clock is read
  std::string folds;   ///< how its errors were measured
  std::string errors;  ///< its errors
  std::string licence;

  friend bool operator==(const ModelCard&, const ModelCard&) = default;
};

/// How a job becomes the input of a network; fitted on training rows.
struct Encoding {
  FeatureSet features = FeatureSet::layers;
  Scaler job;           ///< of features_of()
  Scaler block;         ///< of block_tokens_of(); empty if blocks are not read
  Piecewise piecewise;  ///< of scaled features; empty if blocks are the tokens

  bool reads_blocks() const { return piecewise.bins == 0; }
};

struct NetworkInput {
  std::vector<float> job;
  std::vector<float> tokens;
};

/// Fitted on training jobs. With `bins` above 0 the tokens are the features, otherwise the blocks.
Encoding fit_encoding(const std::vector<Job>& jobs, FeatureSet features, std::size_t bins);

/// The job must have passed check(). The second version overwrites `input`, and allocates nothing if `input` has been
/// used before.
NetworkInput encode(const Encoding& encoding, const Job& job);
void encode(const Encoding& encoding, const Job& job, const Kernels& kernels, NetworkInput& input);

/// Everything that is learned, as plain data. The peak is base * e^(offset + the mean of the networks' answers).
struct MemoryModel {
  ModelCard card;
  Encoding encoding;
  PhysicsBase base;
  double offset = 0;
  NetworkShape shape;
  std::vector<std::vector<float>> members;  ///< the weights of each network
};

/// A model that is ready to predict. Immutable, and so thread-safe.
class MemoryPredictor {
 public:
  /// An Error if the parts do not belong together.
  static Result<MemoryPredictor> of(const MemoryModel& model, const Kernels& kernels = best_kernels());

  /// The job's peak in MiB. An Error if it fails check(), or lacks the blocks that the model reads.
  Result<double> peak_mib(const Job& job) const;

  /// The same for many jobs, in order, with that many threads (at least one; the caller's is one of them).
  std::vector<Result<double>> peaks_mib(std::span<const Job> jobs, std::size_t threads) const;

  const ModelCard& card() const { return card_; }

 private:
  MemoryPredictor() = default;

  const Kernels* kernels_ = nullptr;
  ModelCard card_;
  Encoding encoding_;
  PhysicsBase base_;
  double offset_ = 0;
  std::vector<Network> networks_;
};

}  // namespace dryfit::predictor
