// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "estimate/profile.h"
#include "estimate/windows.h"

namespace dryfit::estimate {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A span in the tree that nesting gives. Nodes are in preorder: those below node i are i + 1 … end_node - 1.
struct Node {
  Span span;
  std::uint32_t parent = kNone;
  std::uint32_t end_node = 0;
  // Events during its time, on any thread: [first_event, end_event).
  std::uint32_t first_event = 0;
  std::uint32_t end_event = 0;
};

/// Memory that was allocated at one event and freed at another.
struct Block {
  Bytes size;
  std::uint32_t alloc_event = 0;
  std::uint32_t free_event = kNone;  ///< kNone: it outlives the window
};

struct Event {
  std::uint32_t block = 0;
  std::uint32_t node = kNone;  ///< the innermost it happened in
  bool is_free = false;
};

/// A window of a profile, put in order: operators as a tree, memory as blocks that live from one event to another.
struct Timeline {
  std::vector<Node> nodes;
  std::vector<Event> events;           ///< in the order of time
  std::vector<Block> blocks;           ///< first those that lived already, which have no allocation here
  std::vector<std::uint32_t> carried;  ///< the numbers of those in the window before
  Diagnostics diagnostics;

  /// The first block that is allocated here.
  std::uint32_t first_new() const { return static_cast<std::uint32_t>(carried.size()); }

  /// Whether node `below` is `above` or lies under it.
  bool is_within(std::uint32_t below, std::uint32_t above) const {
    return below != kNone && below >= above && below < nodes[above].end_node;
  }
};

/// A block that lives where one window ends and the next begins.
struct LiveBlock {
  std::uint64_t address = 0;
  Bytes size;
  std::uint32_t number = 0;  ///< in the window that ended
};

/// The Analyzer's first half: pairs allocations with frees and nests spans by their times, in O(n log n). Only memory
/// records of a GPU count, or only those of the host. `live` is what the window begins with, and on return what it ends
/// with. Diagnostics:
///   estimate.missing_frees     an address was allocated again without having been freed; the older block ends there
///   estimate.unknown_frees     frees of unknown blocks; left out
///   estimate.mismatched_frees  blocks that were freed with another size than they were allocated with
Timeline make_timeline(Window window, bool on_gpu, std::vector<LiveBlock>& live);

}  // namespace dryfit::estimate
