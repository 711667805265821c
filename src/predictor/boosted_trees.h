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

/// A node of a tree in eight bytes. Its two children are adjacent: at `next`, counted from the tree's root, if the
/// feature is not above the threshold, and one further if it is.
struct TreeNode {
  static constexpr std::uint16_t kLeaf = std::numeric_limits<std::uint16_t>::max();

  float value = 0;  ///< the threshold; in a leaf, what it adds to the answer
  std::uint16_t feature = kLeaf;
  std::uint16_t next = 0;

  bool is_leaf() const { return feature == kLeaf; }
  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// Regression trees whose answers are added up, as plain data. May be read by several threads at once.
struct BoostedTrees {
  std::size_t features = 0;
  double start = 0;                  ///< the answer without any tree
  std::vector<std::uint32_t> roots;  ///< where in `nodes` each tree begins, ascending
  std::vector<TreeNode> nodes;

  /// `inputs` are `features` finite numbers; the trees have passed check().
  double answer(std::span<const float> inputs) const;

  friend bool operator==(const BoostedTrees&, const BoostedTrees&) = default;
};

/// The leaf that the inputs reach in the tree that begins at `root`.
const TreeNode& leaf_of(const TreeNode* root, const float* inputs);

/// An Error unless every path through every tree ends at a leaf of the same tree and reads only existing features,
/// which a damaged file could break.
Status check(const BoostedTrees& trees);

}  // namespace dryfit::predictor
