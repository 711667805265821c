// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "predictor/harvest_rows.h"

namespace dryfit::training {

using HarvestExamples = std::vector<predictor::HarvestExample>;

/// Examples divided into folds of whole families.
struct JobFolds {
  std::vector<std::size_t> fold_of;  ///< of each example, from 0
  std::size_t count = 0;
};

/// Families go one by one, the largest first, to the fold with the fewest examples; ties are decided by name and by the
/// fold's number. So the same examples are divided the same way everywhere. An Error if there are fewer families than
/// folds.
Result<JobFolds> fold_by_family(std::span<const predictor::HarvestExample> examples, std::size_t count);

}  // namespace dryfit::training
