// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "explain/explanation.h"
#include "whatif/recording.h"

namespace dryfit::explain {

/// When each piece of memory lived, from the allocator's own entries. The purpose of an allocation is not known here.
struct Lives {
  std::vector<Allocation> allocations;       ///< by `born`; those of the beginning first
  std::vector<snapshot::StackId> stacks;     ///< of each, in the snapshot
  std::vector<std::uint32_t> allocation_of;  ///< by event: the allocation of an alloc or free_requested, else kNone
  std::vector<Reserved> reserved;
  Bytes peak_reserved;
  Bytes peak_allocated;
  Event peak = 0;  ///< when that was first reached
  Diagnostics diagnostics;
};

/// Goes through a recording. Blocks have the sizes that PyTorch gave them: the rounded request, plus a rest that was
/// too small to be split off. Diagnostics:
///   explain.unknown_block    entries about blocks that do not exist; left out
Lives lives_of(const whatif::Recording& recording);

/// The segments and their blocks after that event. `lives` must come from the recording.
std::vector<Segment> segments_at(const whatif::Recording& recording, const Lives& lives, Event event);

}  // namespace dryfit::explain
