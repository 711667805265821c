// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/growth.h"

#include <algorithm>

namespace dryfit::estimate {
namespace {

/// For products of two 64-bit numbers.
using Wide = __int128;

std::optional<std::int64_t> whole_quotient(Wide dividend, Wide divisor) {
  if (dividend % divisor != 0) return std::nullopt;
  const auto quotient = dividend / divisor;
  if (quotient < 0 || quotient > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(quotient);
}

/// Whether all points are on the line through (0, c) and the first point, or through the first two.
bool on_line(std::span<const std::int64_t> values, std::span<const std::uint64_t> batches, Wide rise, Wide run) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto up = Wide{values[i]} - values[0];
    const auto along = Wide{batches[i]} - Wide{batches[0]};
    if (up * run != rise * along) return false;
  }
  return true;
}

}  // namespace

std::optional<Grown> grown(std::span<const std::int64_t> values, std::span<const std::uint64_t> batches,
                           std::uint64_t batch) {
  if (std::ranges::all_of(values, [&](std::int64_t value) { return value == values[0]; })) {
    return Grown{values[0], Growth::constant};
  }
  if (on_line(values, batches, values[0], batches[0])) {
    const auto value = whole_quotient(Wide{values[0]} * batch, batches[0]);
    return value ? std::optional(Grown{*value, Growth::proportional}) : std::nullopt;
  }
  if (values.size() < 3) return std::nullopt;
  const auto rise = Wide{values[1]} - values[0];
  const auto run = Wide{batches[1]} - Wide{batches[0]};
  if (!on_line(values, batches, rise, run)) return std::nullopt;
  const auto value = whole_quotient(values[0] * run + rise * (Wide{batch} - Wide{batches[0]}), run);
  return value ? std::optional(Grown{*value, Growth::affine}) : std::nullopt;
}

}  // namespace dryfit::estimate
