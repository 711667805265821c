// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/limits.h"

#include <string>

namespace dryfit::verdict {
namespace {

constexpr std::uint32_t kWhole = 10'000;

/// What torch makes of the fraction (`set_memory_fraction`): before 2.13 the product is truncated, since then rounded.
Bytes limit_of(std::uint32_t fraction, Bytes total) {
  return {static_cast<std::uint64_t>(static_cast<double>(fraction) / kWhole * static_cast<double>(total.count))};
}

}  // namespace

std::optional<std::uint32_t> fraction_for(Bytes cap, Bytes total) {
  if (cap > total) return std::nullopt;
  const double share = static_cast<double>(cap.count) / static_cast<double>(total.count);
  auto fraction = static_cast<std::uint32_t>(share * kWhole);
  while (fraction < kWhole && limit_of(fraction, total) < cap) ++fraction;
  return fraction;
}

std::string fraction_text(std::uint32_t ten_thousandths) {
  auto digits = std::to_string(ten_thousandths);
  if (digits.size() < 5) digits.insert(0, 5 - digits.size(), '0');
  return digits.insert(digits.size() - 4, ".");
}

}  // namespace dryfit::verdict
