// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace dryfit::predictor {

/// Brings columns to mean 0 and standard deviation 1, as measured on training rows. A column that is the same in all of
/// them becomes 0 there, and is only shifted elsewhere.
struct Scaler {
  std::vector<double> mean;
  std::vector<double> scale;  ///< the reciprocal of the standard deviation

  std::size_t columns() const { return mean.size(); }

  /// `values` are rows of columns() numbers, as are the results.
  std::vector<float> apply(std::span<const double> values) const;
  void apply(std::span<const double> values, std::span<float> scaled) const;
};

/// No number is infinite or none at all.
template <class Values>
bool all_finite(const Values& values) {
  return std::ranges::all_of(values, [](auto value) { return std::isfinite(value); });
}

/// Whether it is one for so many columns, with numbers that can be used.
bool is_sound(const Scaler& scaler, std::size_t columns);

/// From rows of `columns` numbers, of which there is at least one.
Scaler fit_scaler(std::span<const double> values, std::size_t columns);

}  // namespace dryfit::predictor
