// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "predictor/network_shape.h"
#include "training/learner.h"
#include "training/recipe.h"

namespace dryfit::training {

/// A network of ours for a data set, before it has learned anything.
struct NetworkPlan {
  predictor::Core core = predictor::Core::bigru_transformer;
  bool reads_blocks = true;  ///< else its tokens are the inputs
  std::size_t bins = 0;      ///< how finely inputs are shown as tokens (predictor/piecewise.h); 0: as they are
  Recipe recipe;
};

/// Learns the logarithm of truth / base, less its median, and asks predictor::Network, as a user of the model would.
/// Deterministic as fit_network is. An Error when it reads blocks and the data set has none.
Learner learner_of(const NetworkPlan& plan, const Report& report);

}  // namespace dryfit::training
