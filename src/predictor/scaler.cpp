// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/scaler.h"

#include "base/check.h"

namespace dryfit::predictor {
namespace {

/// A spread below this, relative to the values, is only rounding.
constexpr double kSame = 1e-9;

}  // namespace

std::vector<float> Scaler::apply(std::span<const double> values) const {
  std::vector<float> scaled(values.size());
  apply(values, scaled);
  return scaled;
}

void Scaler::apply(std::span<const double> values, std::span<float> scaled) const {
  DRYFIT_CHECK(values.size() == scaled.size() && values.size() % columns() == 0);
  for (std::size_t row = 0; row < values.size(); row += columns()) {
    for (std::size_t column = 0; column < columns(); ++column) {
      scaled[row + column] = static_cast<float>((values[row + column] - mean[column]) * scale[column]);
    }
  }
}

bool is_sound(const Scaler& scaler, std::size_t columns) {
  return scaler.mean.size() == columns && scaler.scale.size() == columns && all_finite(scaler.mean) &&
         all_finite(scaler.scale);
}

Scaler fit_scaler(std::span<const double> values, std::size_t columns) {
  DRYFIT_CHECK(columns > 0 && !values.empty() && values.size() % columns == 0);
  const std::size_t row_count = values.size() / columns;
  const auto rows = static_cast<double>(row_count);
  Scaler scaler{std::vector<double>(columns), std::vector<double>(columns, 1)};
  std::vector<double> squares(columns);
  for (std::size_t i = 0; i < values.size(); ++i) scaler.mean[i % columns] += values[i] / rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares[i % columns] += std::pow(values[i] - scaler.mean[i % columns], 2) / rows;
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const double deviation = std::sqrt(squares[column]);
    if (deviation > kSame * (1 + std::abs(scaler.mean[column]))) scaler.scale[column] = 1 / deviation;
  }
  return scaler;
}

}  // namespace dryfit::predictor
