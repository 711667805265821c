// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "simulator/torch_version.h"

namespace dryfit::simulator {

inline constexpr Bytes kUnlimited{std::numeric_limits<std::uint64_t>::max()};

/// What PYTORCH_CUDA_ALLOC_CONF can set for device memory, with PyTorch's defaults. Keys that do not concern it
/// (pinned memory, locks) are checked when read and leave no trace here.
struct AllocConfig {
  Bytes max_split_size = kUnlimited;
  Bytes max_non_split_rounding_size{20u << 20};
  Bytes large_segment_size{20u << 20};
  /// One entry per power of two from 1 MiB to 32 GiB; 0 is plain rounding.
  std::array<std::uint64_t, 16> roundup_power2_divisions{};
  /// torch 1.13 only: requests from here on are not rounded to divisions.
  Bytes roundup_bypass_threshold = kUnlimited;
  double garbage_collection_threshold = 0;
  std::optional<double> per_process_memory_fraction;
  bool expandable_segments = false;
  bool throw_on_cudamalloc_oom = false;

  friend bool operator==(const AllocConfig&, const AllocConfig&) = default;
};

/// Reads a config string as the given PyTorch does: the same keys, the same bounds, and an Error where it raises one,
/// which names the kind. The backend cudaMallocAsync is refused too: it is another allocator.
Result<AllocConfig> parse_alloc_config(std::string_view text, TorchVersion version);

}  // namespace dryfit::simulator
