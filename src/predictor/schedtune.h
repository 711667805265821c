// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "predictor/data_set.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// Note [SchedTune]
/// Peaks of 12 CNNs, 4 batch sizes and 5 GPUs each, published with SchedTune (schedtune-model-stats.csv and the fold
/// table of the same name). Features are all its columns: the batch, MB of activations, parameters and input, and five
/// numbers about the GPU. The base is a constant, activations, parameters and input, with the non-negative weights that
/// have the least relative error on the training rows; it doesn't depend on the GPU. Its logarithm is a feature too, as
/// the comparators of all baselines get it.
///
/// A family is the part of a model's name before its digits. The table does not name its GPUs; each has a different
/// number of cores. Folds of families and of GPUs are compared by these groups, all others by models.
Result<DataSet> schedtune_set(const Table& stats, const Table& folds, std::string_view protocol);

}  // namespace dryfit::predictor
