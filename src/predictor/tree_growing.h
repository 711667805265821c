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

/// How far a tree may grow.
struct TreeLimits {
  std::size_t leaves = 31;
  std::size_t least_rows = 10;  ///< in a leaf
};

/// Grows one tree for the absolute loss: the leaf whose division lessens the loss most is divided next. As the loss
/// has slope 1 everywhere, what a division of rows into two parts is worth is counted by the signs of what is left to
/// explain: (sum of signs)^2 / rows of both parts, less that of the whole. All sums are whole numbers, so the order of
/// rows makes no difference. A leaf's value is the median of what its rows leave to explain.
class TreeGrower {
 public:
  /// Both must outlive it.
  TreeGrower(const FeatureBins& bins, const TreeLimits& limits) : bins_(bins), limits_(limits) {}

  /// `rows` (at least one) and `columns` are those the tree may use, ascending. `left` is what is left to explain of
  /// every row of the table. Of equally good divisions the one of the first column and the lowest threshold is taken.
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
