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

/// The jobs that every contestant answers: all with 16 blocks, and the same jobs without them.
struct Questions {
  std::vector<predictor::Job> jobs;
  std::vector<predictor::Job> plain;
  std::vector<std::size_t> rows;  ///< in the memory table
};

/// A model whose answers are timed.
struct Contestant {
  std::string name;
  std::string features;                       ///< "layers" or "plain"
  std::function<double(std::size_t)> answer;  ///< to the question with this number; must not outlive the questions
};

/// A network with random weights: its answers do not affect its speed.
predictor::MemoryModel untrained_model(const Questions& questions, predictor::FeatureSet features,
                                       predictor::Core core);

/// Every kind of network, over blocks and over plain features: from the job description to its peak. Also the part
/// of that outside the network, under the name "(encoding alone)".
std::vector<Contestant> networks(const Questions& questions);

/// A tree model that bench/latency has trained.
struct TreeModel {
  std::string kind;      ///< "xgboost", "lightgbm" or "catboost"
  std::string features;  ///< "layers" or "plain"
  std::string library;   ///< the shared library that answers
  std::string model;     ///< the file it loads; for CatBoost, the library itself
};

/// Trees through the C interface of their library, from the features to the logarithm of the peak. Building the
/// features, and anything that can be prepared, is not timed: faster than any user would see.
Result<Contestant> tree(const TreeModel& model, const Questions& questions);

}  // namespace dryfit::bench
