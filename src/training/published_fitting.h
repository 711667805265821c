// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "training/learner.h"

namespace dryfit::training {

enum class Paper { one, two };

/// How a row of a table becomes a sequence: one step of as many channels as there are columns, or a step per column.
enum class Reading { channels, tokens };

/// Adam on half the mean squared error of the amount itself. Columns and amounts are scaled to run from 0 to 1 over
/// the examples learned from. As in MATLAB, `decay` times a weight (not a bias) is added to its gradient, and then each
/// parameter's gradient is clipped by its own norm.
struct PublishedRecipe {
  std::size_t epochs = 0;
  std::size_t batch = 0;
  std::size_t most_updates = 0;  ///< fewer whole epochs where they would make more than this; 0: any number
  double learning_rate = 0;
  std::size_t drop_after = 0;  ///< epochs, after which the rate is a tenth; 0: never
  double decay = 0;
  double clip = 0;
};

/// As many as are run over so many examples, at least one.
std::size_t epochs_over(std::size_t examples, const PublishedRecipe& recipe);

/// Paper 2's is published. Of paper 1 nothing is said of it; this is a usual one for an encoder of that size. Over the
/// paper's own table of 452 rows it makes some 250 updates; larger tables get up to four times as many.
PublishedRecipe published_recipe(Paper paper);

/// All numbers in a line.
std::string to_text(const PublishedRecipe& recipe);

struct PublishedPlan {
  Paper paper = Paper::one;
  Reading reading = Reading::channels;
  PublishedRecipe recipe;
};

/// A network of Note [Published networks]. What it says below the least known amount counts as that, because a network
/// of raw amounts may well say less than nothing. Deterministic as fit_network is.
Learner learner_of(const PublishedPlan& plan, const Report& report);

}  // namespace dryfit::training
