// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "predictor/boosting.h"
#include "predictor/out_of_fold.h"

namespace dryfit::predictor {

/// Boosted trees on the logarithm of truth / physics base.
Learner tree_learner(const BoostingRecipe& recipe);

}  // namespace dryfit::predictor
