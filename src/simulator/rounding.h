// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "base/bytes.h"
#include "simulator/alloc_config.h"
#include "simulator/torch_version.h"

namespace dryfit::simulator {

inline constexpr Bytes kMinBlockSize{512};         ///< sizes are rounded up to multiples of this
inline constexpr Bytes kSmallSize{1u << 20};       ///< requests up to this size go to the small pool
inline constexpr Bytes kSmallBuffer{2u << 20};     ///< the size of the small pool's segments
inline constexpr Bytes kMinLargeAlloc{10u << 20};  ///< requests from this size on get a segment of their own
inline constexpr Bytes kRoundLarge{2u << 20};      ///< such segments are rounded up to multiples of this

/// torch `DeviceCachingAllocator::round_size` under one version and config. Sizes must be less than 1 EiB.
class SizeRounding {
 public:
  SizeRounding(const AllocConfig& config, TorchVersion version);

  Bytes operator()(Bytes request) const {
    if (request < kMinBlockSize) return kMinBlockSize;
    if (any_divisions_) [[unlikely]]
      return with_divisions(request);
    return {(request.count + 511) & ~std::uint64_t{511}};
  }

 private:
  Bytes with_divisions(Bytes request) const;

  std::array<std::uint64_t, 16> divisions_;
  Bytes bypass_threshold_;
  std::uint64_t fewest_divisions_;
  bool any_divisions_;
};

/// torch `DeviceCachingAllocator::get_allocation_size`: the size requested from the device for a rounded size.
inline Bytes get_allocation_size(Bytes size, Bytes large_segment_size) {
  if (size <= kSmallSize) return kSmallBuffer;
  if (size < kMinLargeAlloc) return large_segment_size;
  return round_up(size, kRoundLarge);
}

}  // namespace dryfit::simulator
