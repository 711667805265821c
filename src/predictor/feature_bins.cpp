// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/feature_bins.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

/// At least `low` and below `high`, even if rounding would reach `high`.
float between(float low, float high) {
  const float middle = std::midpoint(low, high);
  return middle < high ? middle : low;
}

/// A bin is closed once it has its share of the rows that were left when it was opened.
std::vector<float> edges_of(const std::vector<float>& sorted, std::size_t most, std::size_t least_rows) {
  std::vector<float> edges;
  std::size_t begin = 0;
  for (std::size_t i = 1; i < sorted.size() && edges.size() + 1 < most; ++i) {
    if (sorted[i] == sorted[i - 1]) continue;
    const std::size_t share = (sorted.size() - begin) / (most - edges.size());
    if (i - begin < std::max({share, least_rows, std::size_t{1}}) || sorted.size() - i < least_rows) continue;
    edges.push_back(between(sorted[i - 1], sorted[i]));
    begin = i;
  }
  return edges;
}

}  // namespace

FeatureBins fit_bins(std::span<const float> values, std::size_t columns, std::size_t most, std::size_t least_rows) {
  DRYFIT_CHECK(columns > 0 && !values.empty() && values.size() % columns == 0);
  DRYFIT_CHECK(most >= 2 && most <= kMostBins);
  FeatureBins result{.rows = values.size() / columns};
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<float> own;
    for (std::size_t i = column; i < values.size(); i += columns) own.push_back(values[i]);
    auto sorted = own;
    std::ranges::sort(sorted);
    const auto& edges = result.edges.emplace_back(edges_of(sorted, most, least_rows));
    for (const float value : own) {
      result.bins.push_back(static_cast<std::uint8_t>(std::ranges::lower_bound(edges, value) - edges.begin()));
    }
  }
  return result;
}

}  // namespace dryfit::predictor
