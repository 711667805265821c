// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "simulator/caching_allocator.h"
#include "whatif/conditions.h"
#include "whatif/recording.h"

namespace dryfit::whatif {

/// Caps on what PyTorch's allocator may reserve under which a replay goes the same way, call by call.
struct CapBand {
  simulator::LimitRange caps;
  bool runs = false;
  std::uint64_t retries = 0;  ///< up to the end, or up to the request that failed
  Bytes peak_reserved;
};

/// How far a scan goes, from the largest caps down.
struct ScanDepth {
  bool beyond_least = false;  ///< to the smallest cap that can run, not only to the first that fails
  /// Replayed operations after which it stops; the default takes about a quarter of a second.
  std::uint64_t operations = 5'000'000;
};

/// The caps in which a recording runs.
///
/// Note [Scanning caps]
/// Running is not monotone in the cap: a retry rearranges the cache, so a job may run in 8 GiB, fail in 8.1 and run in
/// 8.2 GiB. A bisection would find any of these edges. But a replay asks one thing of its cap, whether the memory it
/// wants is within it, so the comparisons that it made give the whole range of caps for which it would be the same.
/// The next replay starts right below that range. That visits every behaviour once, as a scan in steps of one byte
/// would.
struct CapScan {
  std::vector<CapBand> bands;  ///< the largest caps first, without gaps
  Bytes comfortable;           ///< runs without a retry, and so does every larger one
  Bytes least;                 ///< runs, and so does every larger one
  bool least_is_exact = true;  ///< false: the scan stopped before a cap that fails, and the true value may be lower
};

/// Scans the caps of a recording on a device of unlimited memory. `conditions` gives version and configuration. An Error
/// where the recording says nothing about that: it was out of memory at some point, so that what it does when it gets
/// more is unknown.
Result<CapScan> scan_caps(const Recording& recording, Conditions conditions, const ScanDepth& depth = {});

/// A cap that is smaller than all memory the program holds at one moment cannot run: the maximum of these sums.
Bytes least_possible_cap(const Recording& recording, const Conditions& conditions);

}  // namespace dryfit::whatif
