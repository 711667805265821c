// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace dryfit::predictor {

enum class Metric : std::size_t { mse, rmse, mae, mape, r2 };
inline constexpr std::size_t kMetrics = 5;
inline constexpr std::array<Metric, kMetrics> kAllMetrics{Metric::mse, Metric::rmse, Metric::mae, Metric::mape,
                                                          Metric::r2};

/// "MSE", "RMSE", "MAE", "MAPE", "R2".
std::string_view to_text(Metric metric);

/// A larger R2 is better; for the others, smaller is better.
constexpr bool larger_is_better(Metric metric) { return metric == Metric::r2; }

/// How far predictions are from the truth, pooled over all rows.
struct Scores {
  std::array<double, kMetrics> values{};  ///< MAPE in percent; R2 is NaN if the truth has no spread

  double operator[](Metric metric) const { return values[static_cast<std::size_t>(metric)]; }
};

/// Both have the same size, at least one; the truth contains no zero.
Scores score(std::span<const double> truth, std::span<const double> predicted);

}  // namespace dryfit::predictor
