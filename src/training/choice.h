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

/// What to train, in words. Numbers that are not given are those of the recipe of the network and the data set.
struct Choice {
  std::string set = "timm-memory";   ///< a name of predictor::all_data_sets()
  std::string features = "layers";   ///< one of the data set's
  std::string network = "sequence";  ///< one of kNetworks
  std::string reading = "channels";  ///< of the papers: channels, tokens
  std::optional<std::size_t> epochs;
  std::optional<std::size_t> batch;
  std::optional<double> learning_rate;
  std::optional<std::size_t> patience;  ///< not for the papers' networks

  /// The name of its predictions: "sequence layers".
  std::string name() const;

  /// The file in which `make evaluate` looks for them: "timm-memory-module5_s0-layers-sequence.csv".
  std::string file_name(const std::string& folds) const;
};

inline constexpr const char* kNetworks =
    "sequence, bigru, transformer, flat, flat-bigru, flat-transformer, trees, paper1, paper2";

/// The learner of a choice.
struct Chosen {
  Learner learner;
  std::string recipe;  ///< all its numbers in a line; with the same numbers and data it learns the same
};

/// An Error if a word is unknown or a number out of range.
Result<Chosen> choose(const Choice& choice, const Report& report);

/// The plan of a model that can be kept: a network of ours on timm's memory.
Result<ModelPlan> plan_of(const Choice& choice);

}  // namespace dryfit::training
