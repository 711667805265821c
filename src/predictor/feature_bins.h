// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dryfit::predictor {

inline constexpr std::size_t kMostBins = 256;

/// The columns of a table as bin numbers, which is all that a growing tree distinguishes.
struct FeatureBins {
  std::size_t rows = 0;
  std::vector<std::uint8_t> bins;  ///< column by column
  std::vector<std::vector<float>>
      edges;  ///< by column, ascending: bin b holds what is above edge b - 1 and not above b

  std::size_t columns() const { return edges.size(); }
  std::size_t bins_in(std::size_t column) const { return edges[column].size() + 1; }
  const std::uint8_t* column(std::size_t column) const { return bins.data() + column * rows; }
};

/// From at least one row of `columns` finite numbers. A column gets up to `most` bins (2 to kMostBins) with about the
/// same number of rows each, at least `least_rows` if it has that many. Edges are halfway between neighbouring values.
FeatureBins fit_bins(std::span<const float> values, std::size_t columns, std::size_t most, std::size_t least_rows);

}  // namespace dryfit::predictor
