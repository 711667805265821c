// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/piecewise.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

/// A bin without width is a step.
float progress(float value, float low, float high) {
  if (high <= low) return value >= high ? 1 : 0;
  return std::clamp((value - low) / (high - low), 0.0f, 1.0f);
}

float quantile(const std::vector<float>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], static_cast<float>(place - static_cast<double>(below)));
}

}  // namespace

std::vector<float> Piecewise::apply(std::span<const float> row) const {
  std::vector<float> encoded(edges.size());
  apply(row, encoded);
  return encoded;
}

void Piecewise::apply(std::span<const float> row, std::span<float> encoded) const {
  DRYFIT_CHECK(row.size() == features() && encoded.size() == edges.size());
  for (std::size_t feature = 0; feature < row.size(); ++feature) {
    const std::size_t begin = feature * (bins + 1);
    for (std::size_t i = begin; i < begin + bins; ++i) encoded[i] = progress(row[feature], edges[i], edges[i + 1]);
    encoded[begin + bins] = row[feature];
  }
}

Piecewise fit_piecewise(std::span<const float> values, std::size_t columns, std::size_t bins) {
  DRYFIT_CHECK(columns > 0 && bins > 0 && !values.empty() && values.size() % columns == 0);
  Piecewise piecewise{.bins = bins};
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<float> sorted;
    for (std::size_t i = column; i < values.size(); i += columns) sorted.push_back(values[i]);
    std::ranges::sort(sorted);
    for (std::size_t edge = 0; edge <= bins; ++edge) {
      piecewise.edges.push_back(quantile(sorted, static_cast<double>(edge) / static_cast<double>(bins)));
    }
  }
  return piecewise;
}

}  // namespace dryfit::predictor
