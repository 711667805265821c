// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "training/learner.h"
#include "training/model_training.h"

namespace dryfit::training {

/// What somebody wants to be trained, in words. What is not given is as in the recipe of the network and the data set.
struct Choice {
  std::string set = "timm-memory";   ///< a name of predictor::all_data_sets()
  std::string features = "layers";   ///< one of its
  std::string network = "sequence";  ///< one of kNetworks
  std::string reading = "channels";  ///< of the papers: channels, tokens
  std::optional<std::size_t> epochs;
  std::optional<std::size_t> batch;
  std::optional<double> learning_rate;
  std::optional<std::size_t> patience;  ///< not of the papers

  /// "sequence layers": what its predictions are called.
  std::string name() const;

  /// "timm-memory-module5_s0-layers-sequence.csv": the file in which `make evaluate` looks for them.
  std::string file_name(const std::string& folds) const;
};

inline constexpr const char* kNetworks =
    "sequence, bigru, transformer, flat, flat-bigru, flat-transformer, trees, paper1, paper2";

/// What is to be learned with.
struct Chosen {
  Learner learner;
  std::string recipe;  ///< all its numbers, in a line: as long as they and the data are the same, so is what it learns
};

/// An Error when a word or a number is not one of those known.
Result<Chosen> choose(const Choice& choice, const Report& report);

/// The plan of a model that can be kept: a network of ours on timm's memory.
Result<ModelPlan> plan_of(const Choice& choice);

}  // namespace dryfit::training
