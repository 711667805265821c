// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "predictor/job.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// The blocks of timm's models, by model and image size.
using BlockLists = std::map<std::pair<std::string, double>, std::vector<Block>>;

/// Reads timm-blocks16.csv. An Error if a column is missing or the blocks of a model are not in order.
Result<BlockLists> blocks_in(const Table& table);

}  // namespace dryfit::predictor
