// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/metrics.h"

#include <cmath>

#include "base/check.h"

namespace dryfit::predictor {

std::string_view to_text(Metric metric) {
  constexpr std::array<std::string_view, kMetrics> names{"MSE", "RMSE", "MAE", "MAPE", "R2"};
  return names[static_cast<std::size_t>(metric)];
}

Scores score(std::span<const double> truth, std::span<const double> predicted) {
  DRYFIT_CHECK(!truth.empty() && truth.size() == predicted.size());
  const auto n = static_cast<double>(truth.size());
  double mean = 0;
  for (const double value : truth) mean += value / n;
  double squares = 0;
  double absolute = 0;
  double relative = 0;
  double spread = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = predicted[i] - truth[i];
    squares += error * error;
    absolute += std::abs(error);
    relative += std::abs(error / truth[i]);
    spread += (truth[i] - mean) * (truth[i] - mean);
  }
  const double r2 = spread > 0 ? 1 - squares / spread : std::nan("");
  return {{squares / n, std::sqrt(squares / n), absolute / n, 100 * relative / n, r2}};
}

}  // namespace dryfit::predictor
