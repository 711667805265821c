// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace dryfit::training {

/// How a network is taught: AdamW over mini-batches, whose rate rises, then falls as a cosine does. What is kept is a
/// running average of the weights.
///
/// The loss of a row with the answer a, the true answer t and the measured peak y is
///   huber(a - t) / huber_delta + squared_share * (y / sd * (e^(a - t) - 1))^2
/// where sd is the standard deviation of the measured peaks. The first part is nearly the relative error and cares
/// little for outliers; the second is the squared error in bytes.
struct Recipe {
  std::size_t epochs = 30;
  std::size_t batch = 384;
  double learning_rate = 3e-3;  ///< the highest
  double warm_up = 0.05;        ///< the share of all steps in which the rate rises
  double last_rate = 0.02;      ///< where the cosine ends, as a share of the highest
  double weight_decay = 0.05;   ///< of all parameters
  double clip = 1;              ///< the largest norm of all gradients together
  double average = 0.99;        ///< how much of the running average a step keeps, at most
  double huber_delta = 0.1;
  double squared_share = 0.5;
  std::size_t patience = 0;       ///< stop after as many epochs without a better validation loss; 0: never
  double validation_share = 0.1;  ///< of the groups, when there is patience
};

/// For networks over blocks, and for those over features.
Recipe sequence_recipe();
Recipe flat_recipe();

/// For those over job descriptions, which are judged by relative errors alone.
Recipe harvest_recipe();

/// An Error that names the number which makes no sense.
Status check(const Recipe& recipe);

/// All numbers in a line.
std::string to_text(const Recipe& recipe);

/// The rate of a step, from 0, of `steps`.
double learning_rate_at(const Recipe& recipe, std::size_t step, std::size_t steps);

/// How much of the running average a step, from 0, keeps. Less at the begin, so that nothing is left of the weights
/// before training: min(average, (1 + step) / (10 + step)).
double average_at(const Recipe& recipe, std::size_t step);

}  // namespace dryfit::training
