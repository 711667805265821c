// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "snapshot/snapshot.h"

namespace dryfit::snapshot {

/// What rewinding needs to know about the recorded allocator.
struct RewindRules {
  /// The block size for a request; none: the next multiple of 512.
  std::function<Bytes(Bytes)> rounded;
  /// Blocks from this size on are never split.
  Bytes max_split_size{~std::uint64_t{0}};
};

/// The state before the first entry of a device's trace.
struct StartState {
  std::vector<Segment> segments;  ///< by address; blocks fill them, free neighbours merged
  Diagnostics diagnostics;

  bool is_empty() const { return segments.empty(); }
};

/// Undoes the entries of a device backwards, starting from the snapshot's segments.
///
/// Note [Rewinding]. Every entry contains what is needed to undo it, except for one thing: the size of a block that was
/// freed during the recording and no longer exists. It was at least as large as its rounded request, and it reached to
/// the next block if the gap in between would have been too small to split off: at most 1 MiB in a large segment that
/// does not expand.
///
/// Entries that contradict the state are skipped and counted:
///   rewind.unknown_block     an alloc or free_requested of a block that does not exist in that state
///   rewind.occupied          a free_completed or segment_free where something else lies
///   rewind.unknown_segment   a segment_alloc or segment_map of a segment that does not exist
///   rewind.segment_in_use    the same for a segment that still holds blocks
StartState rewind(const Snapshot& snapshot, int device, const RewindRules& rules = {});

}  // namespace dryfit::snapshot
