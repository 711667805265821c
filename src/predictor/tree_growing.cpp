// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/tree_growing.h"

#include <algorithm>
#include <utility>

#include "predictor/median.h"

namespace dryfit::predictor {
namespace {

/// A smaller gain is only rounding.
constexpr double kLeastGain = 1e-9;

std::int8_t sign_of(double value) { return static_cast<std::int8_t>((value > 0) - (value < 0)); }

double worth(std::int64_t signs, std::int64_t rows) {
  return static_cast<double>(signs * signs) / static_cast<double>(rows);
}

}  // namespace

std::vector<TreeNode> TreeGrower::grow(std::vector<std::uint32_t> rows, std::vector<std::uint16_t> columns,
                                       std::span<const double> left) {
  rows_ = std::move(rows);
  columns_ = std::move(columns);
  signs_.assign(left.size(), 0);
  for (std::size_t row = 0; row < left.size(); ++row) signs_[row] = sign_of(left[row]);
  nodes_.assign(1, {});
  leaves_.clear();
  leaves_.push_back(leaf_at(0, 0, rows_.size()));
  count(leaves_[0]);
  leaves_[0].best = best_division(leaves_[0]);
  while (leaves_.size() < limits_.leaves) {
    const auto next = std::ranges::max_element(leaves_, {}, [](const Leaf& leaf) { return leaf.best.gain; });
    if (next->best.gain < kLeastGain) break;
    divide(static_cast<std::size_t>(next - leaves_.begin()));
  }
  for (const auto& leaf : leaves_) {
    std::vector<double> own;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) own.push_back(left[rows_[i]]);
    nodes_[leaf.node].value = static_cast<float>(median(std::move(own)));
  }
  return std::move(nodes_);
}

TreeGrower::Leaf TreeGrower::leaf_at(std::size_t node, std::size_t begin, std::size_t end) const {
  return {.node = node, .begin = begin, .end = end, .histogram = {}, .best = {}};
}

void TreeGrower::count(Leaf& leaf) const {
  std::size_t size = 0;
  for (const auto column : columns_) size += bins_.bins_in(column);
  leaf.histogram.assign(size, {});
  auto* cells = leaf.histogram.data();
  for (const auto column : columns_) {
    const auto* bins = bins_.column(column);
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
      auto& cell = cells[bins[rows_[i]]];
      cell.signs += signs_[rows_[i]];
      ++cell.rows;
    }
    cells += bins_.bins_in(column);
  }
}

TreeGrower::Division TreeGrower::best_division(const Leaf& leaf) const {
  const auto rows = static_cast<std::int64_t>(leaf.size());
  const auto least = static_cast<std::int64_t>(limits_.least_rows);
  std::int64_t signs = 0;
  for (std::size_t i = leaf.begin; i < leaf.end; ++i) signs += signs_[rows_[i]];
  const double whole = worth(signs, rows);
  Division best;
  const auto* cells = leaf.histogram.data();
  for (const auto column : columns_) {
    const auto bins = bins_.bins_in(column);
    std::int64_t low_signs = 0;
    std::int64_t low_rows = 0;
    for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
      if (cells[bin].rows == 0) continue;
      low_signs += cells[bin].signs;
      low_rows += cells[bin].rows;
      if (low_rows < least) continue;
      if (rows - low_rows < least) break;
      const double gain = worth(low_signs, low_rows) + worth(signs - low_signs, rows - low_rows) - whole;
      if (gain > best.gain) best = {gain, column, static_cast<std::uint8_t>(bin)};
    }
    cells += bins;
  }
  return best;
}

/// Counts only the smaller part; the larger is the difference to the whole.
void TreeGrower::divide(std::size_t place) {
  auto& whole = leaves_[place];
  const auto division = whole.best;
  const auto* bins = bins_.column(division.column);
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(whole.begin);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(whole.end);
  const auto high = std::stable_partition(begin, end, [&](std::uint32_t row) { return bins[row] <= division.bin; });
  const auto middle = static_cast<std::size_t>(high - rows_.begin());

  const auto next = nodes_.size();
  nodes_[whole.node] = {bins_.edges[division.column][division.bin], division.column, static_cast<std::uint16_t>(next)};
  nodes_.resize(next + 2);
  auto low_leaf = leaf_at(next, whole.begin, middle);
  auto high_leaf = leaf_at(next + 1, middle, whole.end);
  auto& smaller = low_leaf.size() <= high_leaf.size() ? low_leaf : high_leaf;
  auto& larger = &smaller == &low_leaf ? high_leaf : low_leaf;
  count(smaller);
  larger.histogram = std::move(whole.histogram);
  for (std::size_t i = 0; i < smaller.histogram.size(); ++i) {
    larger.histogram[i].signs -= smaller.histogram[i].signs;
    larger.histogram[i].rows -= smaller.histogram[i].rows;
  }
  low_leaf.best = best_division(low_leaf);
  high_leaf.best = best_division(high_leaf);
  whole = std::move(low_leaf);
  leaves_.push_back(std::move(high_leaf));
}

}  // namespace dryfit::predictor
