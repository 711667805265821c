// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace dryfit::training {

/// How a network is trained: AdamW over mini-batches, with a rate that rises and then falls like a cosine. The result
/// is a running average of the weights.
///
/// The loss of a row with the answer a, the true answer t and the measured peak y is
///   huber(a - t) / huber_delta + squared_share * (y / sd * (e^(a - t) - 1))^2
/// where sd is the standard deviation of the measured peaks. The first part is nearly the relative error and robust
/// against outliers; the second is the squared error in bytes.
struct Recipe {
  std::size_t epochs = 30;
  std::size_t batch = 384;
  double learning_rate = 3e-3;  ///< the highest
  double warm_up = 0.05;        ///< the share of all steps in which the rate rises
  double last_rate = 0.02;      ///< where the cosine ends, as a share of the highest
  double weight_decay = 0.05;   ///< of all parameters
  double clip = 1;              ///< the largest norm of all gradients together
  double average = 0.99;        ///< the largest share of the running average that a step keeps
  double huber_delta = 0.1;
  double squared_share = 0.5;
  std::size_t patience = 0;       ///< stop after this many epochs without a better validation loss; 0: never
  double validation_share = 0.1;  ///< of the groups, if there is patience
};

/// For networks over blocks, and for networks over features.
Recipe sequence_recipe();
Recipe flat_recipe();

/// For networks over job descriptions, which are scored by relative errors only.
Recipe harvest_recipe();

/// An Error names a number that is out of range.
Status check(const Recipe& recipe);

/// All numbers in a line.
std::string to_text(const Recipe& recipe);

/// The rate of step `step` (from 0) out of `steps`.
double learning_rate_at(const Recipe& recipe, std::size_t step, std::size_t steps);

/// The share of the running average that step `step` (from 0) keeps. It is smaller at the beginning, so that nothing is
/// left of the weights before training: min(average, (1 + step) / (10 + step)).
double average_at(const Recipe& recipe, std::size_t step);

}  // namespace dryfit::training
