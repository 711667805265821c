// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace dryfit::predictor {

/// Scales columns to mean 0 and standard deviation 1 on the training rows. A column that is constant in training is
/// only shifted, to 0 there.
struct Scaler {
  std::vector<double> mean;
  std::vector<double> scale;  ///< the reciprocal of the standard deviation

  std::size_t columns() const { return mean.size(); }

  /// `values` are rows of columns() numbers, as are the results.
  std::vector<float> apply(std::span<const double> values) const;
  void apply(std::span<const double> values, std::span<float> scaled) const;
};

/// Whether no number is infinite or NaN.
template <class Values>
bool all_finite(const Values& values) {
  return std::ranges::all_of(values, [](auto value) { return std::isfinite(value); });
}

/// Whether it is a scaler for that many columns, with usable numbers.
bool is_sound(const Scaler& scaler, std::size_t columns);

/// Fitted on at least one row of `columns` numbers.
Scaler fit_scaler(std::span<const double> values, std::size_t columns);

}  // namespace dryfit::predictor
