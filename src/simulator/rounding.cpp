// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/rounding.h"

#include <algorithm>

namespace dryfit::simulator {
namespace {

/// Which entry of the divisions holds for a size: one per power of two from 1 MiB to 32 GiB, the ends for all beyond.
std::size_t interval_of(Bytes size) {
  const auto log2 = static_cast<int>(std::bit_width(size.count)) - 1;
  return static_cast<std::size_t>(std::clamp(log2 - 20, 0, 15));
}

/// Up to the next of `divisions` equal steps between two powers of two. One division, where it counts as one, leaves
/// the size as it is, a multiple of 512 or not.
Bytes roundup_power2_next_division(Bytes size, std::uint64_t divisions) {
  if (divisions <= 1 || std::has_single_bit(size.count)) return size;
  const Bytes floor{std::bit_floor(size.count)};
  const Bytes step{floor.count >> (std::bit_width(divisions) - 1)};
  return round_up(size, step);
}

}  // namespace

SizeRounding::SizeRounding(const AllocConfig& config, TorchVersion version)
    : divisions_(config.roundup_power2_divisions),
      bypass_threshold_(config.roundup_bypass_threshold),
      fewest_divisions_(version.one_division_is_none() ? 2 : 1),
      any_divisions_(std::any_of(divisions_.begin(), divisions_.end(),
                                 [this](std::uint64_t n) { return n >= fewest_divisions_; })) {}

Bytes SizeRounding::with_divisions(Bytes request) const {
  const std::uint64_t divisions = divisions_[interval_of(request)];
  const bool rounds = divisions >= fewest_divisions_ && request.count / kMinBlockSize.count >= divisions &&
                      request != kMinBlockSize * divisions && request <= bypass_threshold_;
  return rounds ? roundup_power2_next_division(request, divisions) : round_up(request, kMinBlockSize);
}

}  // namespace dryfit::simulator
