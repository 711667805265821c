// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/boosting.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <utility>

#include "base/check.h"
#include "predictor/feature_bins.h"
#include "predictor/median.h"

namespace dryfit::predictor {
namespace {

/// A random subset of the numbers from 0 to below `count`, not empty, ascending; the same with every standard library.
template <class Number>
std::vector<Number> draw(std::size_t count, double share, std::mt19937_64& random) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(count)));
  const auto kept = std::clamp<std::size_t>(wanted, 1, count);
  for (std::size_t i = 0; i < kept; ++i) std::swap(numbers[i], numbers[i + random() % (count - i)]);
  numbers.resize(kept);
  std::ranges::sort(numbers);
  return numbers;
}

Status check(const TreeTable& table) {
  DRYFIT_CHECK(table.columns > 0 && table.columns < TreeNode::kLeaf);
  DRYFIT_CHECK(table.inputs.size() == table.columns * table.answers.size());
  if (table.answers.empty()) return Error{"no rows to learn from", "Give at least one row."};
  for (std::size_t i = 0; i < table.inputs.size(); ++i) {
    if (std::isfinite(table.inputs[i])) continue;
    return Error{"row " + std::to_string(i / table.columns) + ": input " + std::to_string(i % table.columns) +
                     " is not a finite number",
                 "Correct the row or leave it out."};
  }
  for (std::size_t row = 0; row < table.answers.size(); ++row) {
    if (std::isfinite(table.answers[row])) continue;
    return Error{"row " + std::to_string(row) + ": the target is not a finite number",
                 "Correct the row or leave it out."};
  }
  return {};
}

void append(BoostedTrees& trees, const std::vector<TreeNode>& nodes, double rate) {
  trees.roots.push_back(static_cast<std::uint32_t>(trees.nodes.size()));
  for (auto node : nodes) {
    if (node.is_leaf()) node.value = static_cast<float>(rate * node.value);
    trees.nodes.push_back(node);
  }
}

}  // namespace

Status check(const BoostingRecipe& recipe) {
  const std::pair<const char*, bool> rules[] = {
      {"number of trees", recipe.trees >= 1 && recipe.trees <= 100'000},
      {"number of leaves", recipe.limits.leaves >= 2 && recipe.limits.leaves <= 10'000},
      {"number of rows in a leaf", recipe.limits.least_rows >= 1},
      {"rate", recipe.rate > 0 && recipe.rate <= 1},
      {"share of rows", recipe.row_share > 0 && recipe.row_share <= 1},
      {"share of columns", recipe.column_share > 0 && recipe.column_share <= 1},
      {"number of bins", recipe.bins >= 2 && recipe.bins <= kMostBins},
  };
  for (const auto& [name, holds] : rules) {
    if (!holds) return Error{"the trees' " + std::string(name) + " is out of range", "See BoostingRecipe."};
  }
  return {};
}

std::string to_text(const BoostingRecipe& recipe) {
  char text[192];
  std::snprintf(text, sizeof text,
                "trees %zu, leaves %zu, rows in a leaf %zu, rate %g, share of rows %g, share of columns %g, bins %zu, "
                "rows in a bin %zu",
                recipe.trees, recipe.limits.leaves, recipe.limits.least_rows, recipe.rate, recipe.row_share,
                recipe.column_share, recipe.bins, recipe.rows_in_bin);
  return text;
}

Result<BoostedTrees> boost(const TreeTable& table, const BoostingRecipe& recipe, std::uint64_t seed) {
  if (auto status = check(recipe); !status) return status.error();
  if (auto status = check(table); !status) return status.error();
  const auto bins = fit_bins(table.inputs, table.columns, recipe.bins, recipe.rows_in_bin);
  TreeGrower grower(bins, recipe.limits);
  std::mt19937_64 random(seed);
  BoostedTrees trees{.features = table.columns, .start = median(table.answers), .roots = {}, .nodes = {}};
  auto left = table.answers;
  for (auto& value : left) value -= trees.start;
  for (std::size_t tree = 0; tree < recipe.trees; ++tree) {
    auto rows = draw<std::uint32_t>(bins.rows, recipe.row_share, random);
    auto columns = draw<std::uint16_t>(table.columns, recipe.column_share, random);
    append(trees, grower.grow(std::move(rows), std::move(columns), left), recipe.rate);
    const auto* root = trees.nodes.data() + trees.roots.back();
    for (std::size_t row = 0; row < bins.rows; ++row) {
      left[row] -= leaf_of(root, table.inputs.data() + row * table.columns).value;
    }
  }
  return trees;
}

}  // namespace dryfit::predictor
