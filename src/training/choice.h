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

/// What somebody wants to be trained, in words. What is not given is as in the network's own recipe.
struct Choice {
  std::string network = "sequence";  ///< sequence, flat, bigru, transformer, paper1, paper2
  std::string features = "layers";   ///< plain, layers
  std::string reading = "channels";  ///< of paper2: channels, tokens
  std::optional<std::size_t> epochs;
  std::optional<std::size_t> batch;
  std::optional<double> learning_rate;
  std::optional<std::size_t> patience;  ///< not of the papers

  /// "sequence layers": what its predictions are called.
  std::string name() const;
};

/// An Error when a word or a number is not one of those known.
Result<Learner> learner_of(const Choice& choice, const Report& report);

/// The same, of a model that can be kept; the papers' networks cannot.
Result<ModelPlan> plan_of(const Choice& choice);

}  // namespace dryfit::training
