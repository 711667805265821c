// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "predictor/boosted_trees.h"
#include "predictor/tree_growing.h"

namespace dryfit::predictor {

/// How trees are boosted for the absolute loss, like LightGBM's regression_l1. The numbers are those that the library
/// is given among the comparators (tools/comparators_lib/contestants.py); none was searched for.
struct BoostingRecipe {
  std::size_t trees = 700;
  TreeLimits limits;       ///< of each tree
  double rate = 0.05;      ///< how much of what a tree says is believed
  double row_share = 0.8;  ///< of the rows, drawn anew for every tree
  double column_share = 0.8;
  std::size_t bins = 255;  ///< of a column, at most
  std::size_t rows_in_bin = 3;
};

/// An Error that names the number which makes no sense.
Status check(const BoostingRecipe& recipe);

/// What trees learn from.
struct TreeTable {
  std::size_t columns = 0;
  std::vector<float> inputs;    ///< row by row
  std::vector<double> answers;  ///< of each row
};

/// Begins with the median of the answers; each tree then learns from what those before it leave to explain. The same
/// arguments give the same trees, to the bit. An Error when there is nothing to learn from, a number is not finite, or
/// the recipe makes no sense.
Result<BoostedTrees> boost(const TreeTable& table, const BoostingRecipe& recipe, std::uint64_t seed);

}  // namespace dryfit::predictor
