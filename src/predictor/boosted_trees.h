// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// A node of a tree in eight bytes. The two nodes below it lie side by side: at `next`, counted from the tree's root,
/// where the feature is not above the threshold, and one further where it is.
struct TreeNode {
  static constexpr std::uint16_t kLeaf = std::numeric_limits<std::uint16_t>::max();

  float value = 0;  ///< the threshold; of a leaf what it adds to the answer
  std::uint16_t feature = kLeaf;
  std::uint16_t next = 0;

  bool is_leaf() const { return feature == kLeaf; }
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// Regression trees whose answers are added up, as plain data. Two threads may ask at once.
struct BoostedTrees {
  std::size_t features = 0;
  double start = 0;                  ///< the answer of no trees
  std::vector<std::uint32_t> roots;  ///< where in `nodes` each tree begins, ascending
  std::vector<TreeNode> nodes;

  /// `inputs` are `features` finite numbers; the trees have passed check().
  double answer(std::span<const float> inputs) const;

  friend bool operator==(const BoostedTrees&, const BoostedTrees&) = default;
};

/// The leaf that the inputs come to in the tree that begins here.
const TreeNode& leaf_of(const TreeNode* root, const float* inputs);

/// An Error unless every way through every tree ends at a leaf of the same tree and reads only features that are
/// there: what a damaged file could break.
Status check(const BoostedTrees& trees);

}  // namespace dryfit::predictor
