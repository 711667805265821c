// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dryfit::predictor {

/// Encodes each feature as `bins` + 1 numbers: for every bin between two quantiles of the training rows, how far the
/// value is through the bin, from 0 to 1, and at the end the value itself.
struct Piecewise {
  std::size_t bins = 0;
  std::vector<float> edges;  ///< bins + 1 per feature, ascending

  std::size_t features() const { return bins == 0 ? 0 : edges.size() / (bins + 1); }

  /// One row of features() numbers to features() rows of bins + 1 numbers.
  std::vector<float> apply(std::span<const float> row) const;
  void apply(std::span<const float> row, std::span<float> encoded) const;
};

/// Fitted on at least one row of `columns` numbers.
Piecewise fit_piecewise(std::span<const float> values, std::size_t columns, std::size_t bins);

}  // namespace dryfit::predictor
