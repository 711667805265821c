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
/// numbers of the GPU. The base is a constant, activations, parameters and input with the weights that have the least
/// relative error over the training rows and are not negative; it knows no GPU. Its logarithm is a feature too, as the
/// comparators of all bars are given it.
///
/// A family is what a model's name begins with before its digits. The table does not name its GPUs; each has another
/// number of cores. Folds of families and GPUs are compared by those, all others by models.
Result<DataSet> schedtune_set(const Table& stats, const Table& folds, std::string_view protocol);

}  // namespace dryfit::predictor
