// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/tree_growing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "predictor/median.h"

namespace dryfit::predictor {
namespace {

constexpr std::size_t kColumns = 3;

struct Data {
  std::vector<float> inputs;
  std::vector<double> left;

  std::size_t rows() const { return left.size(); }
  float at(std::size_t row, std::size_t column) const { return inputs[row * kColumns + column]; }
};

/// Small whole numbers, so that many rows are alike.
Data random_data(std::uint64_t seed, std::size_t rows) {
  std::mt19937_64 random(seed);
  Data data;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < kColumns; ++i) data.inputs.push_back(static_cast<float>(random() % 6));
    data.left.push_back(static_cast<double>(random() % 21) - 10 + 2 * data.inputs[row * kColumns + 1]);
  }
  return data;
}

template <class Number>
std::vector<Number> all(std::size_t count) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

std::vector<TreeNode> grow(const Data& data, const TreeLimits& limits) {
  const auto bins = fit_bins(data.inputs, kColumns, 255, 1);
  return TreeGrower(bins, limits).grow(all<std::uint32_t>(data.rows()), all<std::uint16_t>(kColumns), data.left);
}

double worth_of(const Data& data, const std::vector<std::size_t>& rows) {
  double signs = 0;
  for (const auto row : rows) signs += (data.left[row] > 0) - (data.left[row] < 0);
  return signs * signs / static_cast<double>(rows.size());
}

/// The best gain of all divisions of these rows, by trying every value of every column.
double best_gain(const Data& data, const std::vector<std::size_t>& rows, std::size_t least) {
  double best = 0;
  for (std::size_t column = 0; column < kColumns; ++column) {
    for (const auto at : rows) {
      std::vector<std::size_t> low, high;
      for (const auto row : rows) (data.at(row, column) <= data.at(at, column) ? low : high).push_back(row);
      if (low.size() < least || high.size() < least) continue;
      best = std::max(best, worth_of(data, low) + worth_of(data, high) - worth_of(data, rows));
    }
  }
  return best;
}

/// The rows that come through each node.
std::map<std::size_t, std::vector<std::size_t>> rows_by_node(const Data& data, const std::vector<TreeNode>& tree) {
  std::map<std::size_t, std::vector<std::size_t>> result;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    std::size_t node = 0;
    result[node].push_back(row);
    while (!tree[node].is_leaf()) {
      node = tree[node].next + (data.at(row, tree[node].feature) > tree[node].value ? 1u : 0u);
      result[node].push_back(row);
    }
  }
  return result;
}

TEST(TreeGrowing, Every_division_is_the_best_there_is_and_of_all_leaves_the_best_comes_first) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto data = random_data(seed, 60);
    const TreeLimits limits{.leaves = 6, .least_rows = 4};
    const auto tree = grow(data, limits);
    const auto rows = rows_by_node(data, tree);
    std::map<std::size_t, std::size_t> order;  // of division, by node: where the two below it were put
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (!tree[node].is_leaf()) order[tree[node].next] = node;
    }
    std::vector<std::size_t> leaves{0};
    for (const auto& [next, node] : order) {
      double best = 0;
      for (const auto leaf : leaves) best = std::max(best, best_gain(data, rows.at(leaf), limits.least_rows));
      const double gain =
          worth_of(data, rows.at(next)) + worth_of(data, rows.at(next + 1)) - worth_of(data, rows.at(node));
      EXPECT_NEAR(gain, best, 1e-9) << "seed " << seed << " node " << node;
      std::erase(leaves, node);
      leaves.insert(leaves.end(), {next, next + 1});
    }
    EXPECT_EQ(leaves.size(), limits.leaves);
  }
}

TEST(TreeGrowing, A_leaf_has_the_median_of_its_rows_and_at_least_the_required_number_of_them) {
  const auto data = random_data(7, 80);
  const auto tree = grow(data, {.leaves = 8, .least_rows = 5});
  for (const auto& [node, rows] : rows_by_node(data, tree)) {
    if (!tree[node].is_leaf()) continue;
    std::vector<double> own;
    for (const auto row : rows) own.push_back(data.left[row]);
    EXPECT_FLOAT_EQ(tree[node].value, static_cast<float>(median(own)));
    EXPECT_GE(rows.size(), 5u);
  }
}

TEST(TreeGrowing, Only_the_rows_and_columns_it_may_use_are_looked_at) {
  auto data = random_data(3, 40);
  const auto bins = fit_bins(data.inputs, kColumns, 255, 1);
  const std::vector<std::uint32_t> rows{1, 2, 3, 5, 8, 13, 21, 34};
  const auto tree = TreeGrower(bins, {.leaves = 4, .least_rows = 1}).grow(rows, {0, 2}, data.left);
  for (const auto& node : tree) EXPECT_NE(node.feature, 1);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    if (std::ranges::find(rows, row) == rows.end()) data.left[row] = -data.left[row] - 1;
  }
  EXPECT_EQ(TreeGrower(bins, {.leaves = 4, .least_rows = 1}).grow(rows, {0, 2}, data.left), tree);
}

TEST(TreeGrowing, When_nothing_can_be_gained_the_tree_is_one_leaf) {
  Data data = random_data(1, 20);
  std::ranges::fill(data.left, 2.5);
  const auto tree = grow(data, {.leaves = 31, .least_rows = 1});
  ASSERT_EQ(tree.size(), 1u);
  EXPECT_TRUE(tree[0].is_leaf());
  EXPECT_EQ(tree[0].value, 2.5);
}

TEST(TreeGrowing, The_median_of_an_even_number_is_the_mean_of_the_middle_two) {
  EXPECT_EQ(median({4}), 4);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 2}), 3.5);
}

}  // namespace
}  // namespace dryfit::predictor
