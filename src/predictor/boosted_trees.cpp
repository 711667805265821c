// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/boosted_trees.h"

#include <cmath>
#include <string>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

Error bad(std::size_t node, const char* what) {
  return {"node " + std::to_string(node) + " of the trees " + what, "Train the model again."};
}

/// The children of a node come after it, so that no path is a cycle.
Status check_tree(const BoostedTrees& trees, std::size_t root, std::size_t end) {
  for (std::size_t place = root; place < end; ++place) {
    const auto& node = trees.nodes[place];
    if (!std::isfinite(node.value)) return bad(place, "is not a finite number");
    if (node.is_leaf()) continue;
    if (node.feature >= trees.features) return bad(place, "uses a feature that does not exist");
    if (root + node.next <= place || root + node.next + 1 >= end) return bad(place, "points outside its tree");
  }
  return {};
}

}  // namespace

const TreeNode& leaf_of(const TreeNode* root, const float* inputs) {
  const auto* node = root;
  while (!node->is_leaf()) node = root + node->next + (inputs[node->feature] > node->value ? 1 : 0);
  return *node;
}

double BoostedTrees::answer(std::span<const float> inputs) const {
  DRYFIT_CHECK(inputs.size() == features);
  double sum = start;
  for (const auto root : roots) sum += leaf_of(nodes.data() + root, inputs.data()).value;
  return sum;
}

Status check(const BoostedTrees& trees) {
  if (!std::isfinite(trees.start))
    return Error{"the trees' starting value is not a finite number", "Train the model again."};
  if (trees.roots.empty() != trees.nodes.empty() || (!trees.roots.empty() && trees.roots.front() != 0)) {
    return Error{"the trees' nodes do not belong to any tree", "Train the model again."};
  }
  for (std::size_t i = 0; i < trees.roots.size(); ++i) {
    const std::size_t end = i + 1 < trees.roots.size() ? trees.roots[i + 1] : trees.nodes.size();
    if (trees.roots[i] >= end || end > trees.nodes.size()) return bad(trees.roots[i], "is not the root of a tree");
    if (auto status = check_tree(trees, trees.roots[i], end); !status) return status;
  }
  return {};
}

}  // namespace dryfit::predictor
