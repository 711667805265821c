// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/job.h"
#include "predictor/memory_model.h"

namespace dryfit::bench {

/// The jobs that everybody is asked about: all with 16 blocks, and the same without them.
struct Questions {
  std::vector<predictor::Job> jobs;
  std::vector<predictor::Job> plain;
  std::vector<std::size_t> rows;  ///< of the memory table
};

/// Somebody whose answers are timed.
struct Contestant {
  std::string name;
  std::string features;                       ///< "layers" or "plain"
  std::function<double(std::size_t)> answer;  ///< to the question of that number; the questions must still be there
};

/// A network with random weights: what it answers has no part in how long it takes.
predictor::MemoryModel untrained_model(const Questions& questions, predictor::FeatureSet features,
                                       predictor::Core core);

/// Every kind of network, over blocks and over plain features: from the job as it is described to its peak. And what
/// of that is not the network, under the name "(encoding alone)".
std::vector<Contestant> networks(const Questions& questions);

/// A tree model that bench/latency has trained.
struct TreeModel {
  std::string kind;      ///< "xgboost", "lightgbm" or "catboost"
  std::string features;  ///< "layers" or "plain"
  std::string library;   ///< the shared library that answers
  std::string model;     ///< what it loads; CatBoost's model is the library itself
};

/// Trees through the C interface of their library, from the features to the peak's logarithm. Making the features, and
/// whatever can be prepared, is not timed: more than a user could hope for.
Result<Contestant> tree(const TreeModel& model, const Questions& questions);

}  // namespace dryfit::bench
