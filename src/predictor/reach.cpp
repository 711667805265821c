// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/reach.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "predictor/job_features.h"

namespace dryfit::predictor {

double Reach::distance(std::span<const double> features) const {
  double distance = 0;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const bool inside = low[i] <= features[i] && features[i] <= high[i];
    if (i >= kJobMeasures) {
      distance = std::max(distance, inside ? 0 : kUnknownFlag);
    } else {
      const double half = std::max((high[i] - low[i]) / 2, kLeastHalfWidth);
      const double halves = std::abs(features[i] - (low[i] + high[i]) / 2) / half;
      distance = std::max(distance, inside ? std::min(halves, 1.0) : halves);
    }
  }
  return distance;
}

double widening(double distance, double margin) {
  return std::clamp(distance - 1, 0.0, Reach::kMostWidths) * std::max(margin, Reach::kLeastWidening);
}

double scaling_widening(double factor, double margin) { return widening(1 + std::abs(std::log(factor)), margin); }

Reach fit_reach(std::span<const std::vector<double>> features) {
  DRYFIT_CHECK(!features.empty());
  constexpr auto kColumns = static_cast<std::ptrdiff_t>(kJobMeasures + kJobFlags);
  const auto& first = features.front();
  Reach reach{{first.begin(), first.begin() + kColumns}, {first.begin(), first.begin() + kColumns}};
  for (const auto& row : features) {
    for (std::size_t i = 0; i < reach.low.size(); ++i) {
      reach.low[i] = std::min(reach.low[i], row[i]);
      reach.high[i] = std::max(reach.high[i], row[i]);
    }
  }
  return reach;
}

}  // namespace dryfit::predictor
