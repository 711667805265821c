// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dryfit::simulator {

/// How equal-sized free blocks are ordered (the last part of the best-fit key).
enum class TieBreak {
  kAddress,       ///< the lowest address: up to torch 2.11
  kBlockCounter,  ///< the block object made first: 2.12
  kSegmentOrder,  ///< the oldest segment, then the lowest address: since 2.13
};

/// A PyTorch release, as far as its caching allocator differs from others. All checks of a version are made here, so
/// that the rest of the folder names behaviours and not version numbers.
struct TorchVersion {
  int major = 2;
  int minor = 15;
  int patch = 0;

  friend constexpr auto operator<=>(TorchVersion, TorchVersion) = default;

  constexpr bool at_least(int wanted_major, int wanted_minor) const {
    return *this >= TorchVersion{wanted_major, wanted_minor, 0};
  }

  TieBreak tie_break() const;
  /// One division rounds like no division (since 2.4); earlier, it does not round at all.
  bool one_division_is_none() const { return at_least(2, 4); }
  /// A fraction of 1 removes the limit (since 2.10); earlier, it sets the limit to the whole memory.
  bool whole_fraction_lifts_limit() const { return at_least(2, 10); }
  /// The entries of a memory history name the pool.
  bool entries_say_pools() const { return at_least(2, 8); }
  bool rounds_memory_limit() const { return at_least(2, 13); }
  bool graph_pools_may_expand() const { return at_least(2, 5); }
  bool mempools_may_expand() const { return at_least(2, 11); }
  /// A request larger than a whole expandable segment fails before anything is mapped.
  bool refuses_requests_beyond_segment() const { return at_least(2, 15); }

  static constexpr TorchVersion newest() { return {2, 15, 0}; }
  /// Not compared with the model yet; it is treated as the newest known version.
  bool is_beyond_newest() const { return at_least(newest().major, newest().minor + 1); }
};

/// Reads "2.6", "2.6.0", "2.6.0+cu124", "2.15.0a0(main ec30410a944)" and "main" (the newest one known). Versions before
/// 1.13 are refused; versions newer than the newest known behave like it.
Result<TorchVersion> parse_torch_version(std::string_view text);

/// "2.6.0"
std::string to_text(TorchVersion version);

}  // namespace dryfit::simulator
