// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "snapshot/snapshot.h"

namespace dryfit::snapshot {

/// What rewinding has to know of the allocator that was recorded.
struct RewindRules {
  /// The size of the block that a request gets; none: the next multiple of 512.
  std::function<Bytes(Bytes)> rounded;
  /// Blocks from this size on are never split.
  Bytes max_split_size{~std::uint64_t{0}};
};

/// What there was before the first entry of a device's trace.
struct StartState {
  std::vector<Segment> segments;  ///< by address; blocks fill them, free neighbours merged
  Diagnostics diagnostics;

  bool is_empty() const { return segments.empty(); }
};

/// Undoes the entries of a device, from the snapshot's segments backwards.
///
/// Note [Rewinding]. Every entry can be undone from what it says, but for one thing: how large a block was that was
/// freed in the recording and is gone since. It was at least as large as its request, rounded; and it reached to the
/// next block if the gap between would have been too small to be split off: at most 1 MiB in a large segment that does
/// not expand.
///
/// Entries that contradict the state are left out and counted:
///   rewind.unknown_block     an alloc or free_requested of a block that is not there in that state
///   rewind.occupied          a free_completed or segment_free where something else lies
///   rewind.unknown_segment   a segment_alloc or segment_map of what is not there
///   rewind.segment_in_use    the same of what still holds blocks
StartState rewind(const Snapshot& snapshot, int device, const RewindRules& rules = {});

}  // namespace dryfit::snapshot
