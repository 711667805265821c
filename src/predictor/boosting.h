// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/boosted_trees.h"
#include "predictor/tree_growing.h"

namespace dryfit::predictor {

/// How trees are boosted for the absolute loss, like LightGBM's regression_l1. The numbers are those that LightGBM gets
/// as a comparator (tools/comparators_lib/contestants.py); they were not tuned.
struct BoostingRecipe {
  std::size_t trees = 700;
  TreeLimits limits;       ///< of each tree
  double rate = 0.05;      ///< the learning rate: the share of a tree's answer that is added
  double row_share = 0.8;  ///< of the rows, drawn again for every tree
  double column_share = 0.8;
  std::size_t bins = 255;  ///< of a column, at most
  std::size_t rows_in_bin = 3;
};

/// All numbers in a line.
std::string to_text(const BoostingRecipe& recipe);

/// An Error that names the number that is out of range.
Status check(const BoostingRecipe& recipe);

/// The training data of trees.
struct TreeTable {
  std::size_t columns = 0;
  std::vector<float> inputs;    ///< row by row
  std::vector<double> answers;  ///< of each row
};

/// Begins with the median of the answers; each tree then learns from the residuals of the trees before it. The same
/// arguments give the same trees, to the bit. An Error if there are no rows, a number is not finite, or the recipe is
/// invalid.
Result<BoostedTrees> boost(const TreeTable& table, const BoostingRecipe& recipe, std::uint64_t seed);

}  // namespace dryfit::predictor
