// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/layout.h"

namespace dryfit::simulator {

using BlockIndex = std::uint32_t;
inline constexpr BlockIndex kNone = 0xffffffff;

/// A contiguous piece of a segment. The blocks of a segment are a list in address order, without gaps; a block is split
/// iff it has a neighbour. Free mapped blocks are in the free set of their pool and stream, unmapped ones in its
/// unmapped set, all others in neither.
struct Block {
  Bytes size;
  Bytes requested;
  Address address = 0;
  std::uint64_t order = 0;    ///< breaks ties between equal sizes: Note [Tie-break] in caching_allocator_impl.h
  std::uint64_t gc_base = 0;  ///< its pool's search_count when it became free
  BlockIndex prev = kNone;
  BlockIndex next = kNone;
  std::uint32_t set = 0;             ///< its pool and stream: index of a StreamBlocks
  std::uint32_t expandable = kNone;  ///< index of its ExpandableSegment, if it belongs to one
  std::uint32_t event_count = 0;     ///< the number of events that a pending free waits for
  bool allocated = false;
  bool mapped = true;
  bool has_stream_uses = false;
  bool is_small = false;  ///< whether its pool is the small one

  bool is_split() const { return prev != kNone || next != kNone; }
  bool is_expandable() const { return expandable != kNone; }
  /// Neither in use nor waiting for events: it may be merged, or handed out if it is mapped.
  bool is_idle() const { return !allocated && event_count == 0 && !has_stream_uses; }
};
static_assert(sizeof(Block) == 64, "one cache line");

/// Blocks by number. Numbers of erased blocks are reused, the last one first.
class BlockStore {
 public:
  /// A number for a new block; its fields have arbitrary values. Invalidates references to blocks.
  BlockIndex make() {
    if (first_free_ == kNone) {
      blocks_.emplace_back();
      return static_cast<BlockIndex>(blocks_.size() - 1);
    }
    return std::exchange(first_free_, blocks_[first_free_].next);
  }
  BlockIndex make(const Block& block) {
    const BlockIndex index = make();
    blocks_[index] = block;
    return index;
  }
  void erase(BlockIndex index) {
    blocks_[index].size = Bytes{0};
    blocks_[index].allocated = false;
    blocks_[index].next = std::exchange(first_free_, index);
  }

  Block& operator[](BlockIndex index) { return blocks_[index]; }
  const Block& operator[](BlockIndex index) const { return blocks_[index]; }
  /// One more than the largest number ever used; a number whose block has size 0 is free.
  BlockIndex size() const { return static_cast<BlockIndex>(blocks_.size()); }

 private:
  std::vector<Block> blocks_;
  BlockIndex first_free_ = kNone;
};

}  // namespace dryfit::simulator
