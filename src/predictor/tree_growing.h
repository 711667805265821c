// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predictor/boosted_trees.h"
#include "predictor/feature_bins.h"

namespace dryfit::predictor {

/// Limits for the growth of a tree.
struct TreeLimits {
  std::size_t leaves = 31;
  std::size_t least_rows = 10;  ///< in a leaf
};

/// Grows one tree for the absolute loss: each time it splits the leaf that reduces the loss most. As the loss has slope
/// 1 everywhere, the gain of a split is computed from the signs of the residuals: (sum of signs)^2 / rows of both
/// parts, minus that of the whole. All sums are whole numbers, so the order of rows makes no difference. A leaf's value
/// is the median of its rows' residuals.
class TreeGrower {
 public:
  /// Both must outlive it.
  TreeGrower(const FeatureBins& bins, const TreeLimits& limits) : bins_(bins), limits_(limits) {}

  /// `rows` (at least one) and `columns` are those that the tree may use, ascending. `left` is the residual of every
  /// row of the table. Among equally good splits, the first column and the lowest threshold win.
  std::vector<TreeNode> grow(std::vector<std::uint32_t> rows, std::vector<std::uint16_t> columns,
                             std::span<const double> left);

 private:
  struct Cell {
    std::int32_t signs = 0;
    std::int32_t rows = 0;
  };
  struct Division {
    double gain = 0;  ///< 0: there is none
    std::uint16_t column = 0;
    std::uint8_t bin = 0;  ///< the last one of the lower part
  };
  struct Leaf {
    std::size_t node = 0;
    std::size_t begin = 0, end = 0;  ///< in rows_
    std::vector<Cell> histogram;     ///< the bins of the tree's columns, one column after the other
    Division best;

    std::size_t size() const { return end - begin; }
  };

  Leaf leaf_at(std::size_t node, std::size_t begin, std::size_t end) const;
  void count(Leaf& leaf) const;
  Division best_division(const Leaf& leaf) const;
  void divide(std::size_t leaf);

  const FeatureBins& bins_;
  const TreeLimits& limits_;
  std::vector<std::uint32_t> rows_;  ///< by leaf
  std::vector<std::uint16_t> columns_;
  std::vector<std::int8_t> signs_;
  std::vector<Leaf> leaves_;
  std::vector<TreeNode> nodes_;
};

}  // namespace dryfit::predictor
