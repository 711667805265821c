// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "predictor/network_shape.h"
#include "training/learner.h"
#include "training/recipe.h"

namespace dryfit::training {

/// How to train one of our networks on a data set.
struct NetworkPlan {
  predictor::Core core = predictor::Core::bigru_transformer;
  bool reads_blocks = true;  ///< otherwise its tokens are the inputs
  std::size_t bins = 0;      ///< the number of bins for each input as a token (predictor/piecewise.h); 0: no bins
  Recipe recipe;
};

/// Learns the logarithm of truth / base, minus its median, and predicts with predictor::Network, as a user of the model
/// would. As deterministic as fit_network. An Error if it reads blocks and the data set has none.
Learner learner_of(const NetworkPlan& plan, const Report& report);

}  // namespace dryfit::training
