// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "explain/explanation.h"
#include "whatif/recording.h"

namespace dryfit::explain {

/// From when to when each piece of memory lived, as the allocator's own entries tell. Of an allocation, what it was for
/// is not said here.
struct Lives {
  std::vector<Allocation> allocations;       ///< by `born`; those of the beginning first
  std::vector<snapshot::StackId> stacks;     ///< of each, in the snapshot
  std::vector<std::uint32_t> allocation_of;  ///< by event: of an alloc or free_requested the allocation, else kNone
  std::vector<Reserved> reserved;
  Bytes peak_reserved;
  Bytes peak_allocated;
  Event peak = 0;  ///< when that was first reached
  Diagnostics diagnostics;
};

/// Goes through a recording. Blocks have the sizes that PyTorch gave them: the request rounded, and what would have
/// been too little to be split off. Diagnostics:
///   explain.unknown_block    entries about blocks that are not there; left out
Lives lives_of(const whatif::Recording& recording);

/// The segments and their blocks after that event. `lives` must be those of the recording.
std::vector<Segment> segments_at(const whatif::Recording& recording, const Lives& lives, Event event);

}  // namespace dryfit::explain
