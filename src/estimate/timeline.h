// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "estimate/profile.h"

namespace dryfit::estimate {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A span in the tree that spans make by nesting. Nodes stand in preorder: those below node i are i + 1 … end_node - 1.
struct Node {
  Span span;
  std::uint32_t parent = kNone;
  std::uint32_t end_node = 0;
  // Events of its time, of whatever thread: [first_event, end_event).
  std::uint32_t first_event = 0;
  std::uint32_t end_event = 0;
};

/// What was allocated at one place and freed at another.
struct Block {
  Bytes size;
  std::uint32_t alloc_event = 0;
  std::uint32_t free_event = kNone;  ///< kNone: it outlived the profile
};

struct Event {
  std::uint32_t block = 0;
  std::uint32_t node = kNone;  ///< the innermost it happened in
  bool is_free = false;
};

/// A profile, put in order: operators as a tree, memory as blocks that live from one event to another.
struct Timeline {
  std::vector<Node> nodes;
  std::vector<Event> events;  ///< in the order of time
  std::vector<Block> blocks;
  bool on_gpu = false;  ///< the profile is of a GPU, and these are its blocks
  Diagnostics diagnostics;

  /// Whether node `below` is `above` or lies under it.
  bool is_within(std::uint32_t below, std::uint32_t above) const {
    return below != kNone && below >= above && below < nodes[above].end_node;
  }
};

/// The Analyzer's first half: pairs allocations with frees and nests spans by their times, in O(n log n). Takes the
/// profile's spans and memory records, which are empty afterwards. Diagnostics:
///   estimate.missing_frees     an address was allocated again without having been freed; the older block ends there
///   estimate.unknown_frees     frees of blocks that are not known; left out
Timeline make_timeline(Profile& profile);

}  // namespace dryfit::estimate
