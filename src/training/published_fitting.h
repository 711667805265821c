// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "training/learner.h"

namespace dryfit::training {

enum class Paper { one, two };

/// How a row of a table becomes a sequence: one step with a channel per column, or one step per column.
enum class Reading { channels, tokens };

/// Adam on half the mean squared error of the amount itself. Columns and amounts are scaled to the range from 0 to 1 on
/// the training examples. As in MATLAB, `decay` times a weight (not a bias) is added to its gradient, and then each
/// parameter's gradient is clipped by its own norm.
struct PublishedRecipe {
  std::size_t epochs = 0;
  std::size_t batch = 0;
  std::size_t most_updates = 0;  ///< limits the number of whole epochs; 0: no limit
  double learning_rate = 0;
  std::size_t drop_after = 0;  ///< epochs after which the rate drops to a tenth; 0: never
  double decay = 0;
  double clip = 0;
};

/// The number of epochs for that many examples, at least one.
std::size_t epochs_over(std::size_t examples, const PublishedRecipe& recipe);

/// Paper 2's is published. Paper 1 doesn't describe its recipe; this is a common one for an encoder of that size. On
/// the paper's own table of 452 rows it makes about 250 updates; larger tables get up to four times as many.
PublishedRecipe published_recipe(Paper paper);

/// All numbers in a line.
std::string to_text(const PublishedRecipe& recipe);

struct PublishedPlan {
  Paper paper = Paper::one;
  Reading reading = Reading::channels;
  PublishedRecipe recipe;
};

/// A network of Note [Published networks]. Predictions below the smallest training amount are raised to that amount,
/// because a network of raw amounts may predict negative numbers. As deterministic as fit_network.
Learner learner_of(const PublishedPlan& plan, const Report& report);

}  // namespace dryfit::training
