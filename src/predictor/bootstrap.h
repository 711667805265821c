// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predictor/metrics.h"

namespace dryfit::predictor {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

/// How two sets of predictions of the same rows differ: first minus second, by metric.
struct Difference {
  Scores value;
  std::array<Interval, kMetrics> intervals{};

  const Interval& interval(Metric metric) const { return intervals[static_cast<std::size_t>(metric)]; }
};

struct BootstrapOptions {
  std::uint64_t seed = 0;
  std::size_t draws = 2000;
  double coverage = 0.95;
};

/// Groups as numbers from 0, in the order in which they first occur.
std::vector<std::size_t> number_groups(std::span<const std::string> names);

/// The difference with an interval that contains the middle `coverage` of the draws. Each draw takes as many groups as
/// there are, with repetition, and all rows of each, as the errors within a group are not independent. Both sets are
/// scored on the same draw. The same seed gives the same numbers. Draws without spread in the truth are left out of R2.
Difference compare(std::span<const double> truth, std::span<const double> first, std::span<const double> second,
                   std::span<const std::size_t> groups, const BootstrapOptions& options);

}  // namespace dryfit::predictor
