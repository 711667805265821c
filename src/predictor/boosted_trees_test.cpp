// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/boosted_trees.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace dryfit::predictor {
namespace {

constexpr auto kLeaf = TreeNode::kLeaf;

/// x0 <= 1 ? 10 : (x1 <= 2 ? 20 : 30), and a tree that is a leaf of 0.5.
BoostedTrees sample_trees() {
  return {.features = 2,
          .start = 1,
          .roots = {0, 5},
          .nodes = {{1, 0, 1}, {10, kLeaf, 0}, {2, 1, 3}, {20, kLeaf, 0}, {30, kLeaf, 0}, {0.5, kLeaf, 0}}};
}

double answer(float x0, float x1) { return sample_trees().answer(std::array{x0, x1}); }

std::string problem_of_trees(const BoostedTrees& trees) {
  const auto status = check(trees);
  return status ? "" : status.error().what;
}

TEST(BoostedTrees, The_answer_is_the_sum_of_the_leaves_and_a_threshold_belongs_to_the_lower_side) {
  EXPECT_EQ(answer(0, 9), 11.5);
  EXPECT_EQ(answer(1, 9), 11.5);
  EXPECT_EQ(answer(1.5, 2), 21.5);
  EXPECT_EQ(answer(1.5, 2.5), 31.5);
}

TEST(BoostedTrees, Without_trees_the_answer_is_where_they_would_start) {
  EXPECT_EQ((BoostedTrees{.features = 0, .start = 3, .roots = {}, .nodes = {}}.answer({})), 3);
}

TEST(BoostedTrees, Sound_trees_pass_and_damaged_ones_are_refused_with_the_place) {
  EXPECT_EQ(problem_of_trees(sample_trees()), "");
  auto trees = sample_trees();
  trees.nodes[2].feature = 2;
  EXPECT_EQ(problem_of_trees(trees), "node 2 of the trees uses a feature that does not exist");
  trees = sample_trees();
  trees.nodes[2].next = 4;
  EXPECT_EQ(problem_of_trees(trees), "node 2 of the trees points outside its tree");
  trees.nodes[2].next = 2;
  EXPECT_EQ(problem_of_trees(trees), "node 2 of the trees points outside its tree");
  trees = sample_trees();
  trees.nodes[3].value = std::nanf("");
  EXPECT_EQ(problem_of_trees(trees), "node 3 of the trees is not a finite number");
  trees = sample_trees();
  trees.roots = {0, 6};
  EXPECT_EQ(problem_of_trees(trees), "node 6 of the trees is not the root of a tree");
  trees.roots = {1};
  EXPECT_EQ(problem_of_trees(trees), "the trees' nodes do not belong to any tree");
  trees = sample_trees();
  trees.start = INFINITY;
  EXPECT_EQ(problem_of_trees(trees), "the trees' starting value is not a finite number");
}

}  // namespace
}  // namespace dryfit::predictor
