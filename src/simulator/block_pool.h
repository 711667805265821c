// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "simulator/caching_allocator.h"
#include "simulator/free_blocks.h"

namespace dryfit::simulator {

/// The blocks of one pool for one stream. A block can only be reused on the stream it was allocated for, so streams do
/// not share sets.
struct StreamBlocks {
  StreamId stream;
  std::uint32_t pool = 0;  ///< index of the BlockPool
  FreeBlocks free;
  std::map<Address, BlockIndex> unmapped;  ///< parts of expandable segments without memory
};

/// torch `BlockPool`: the small or the large one, of the default pools or of a private pool.
struct BlockPool {
  bool is_small = false;
  std::uint32_t owner = kNone;  ///< index of its PrivatePool; none for the default pools
  bool may_expand = true;       ///< if expandable segments are enabled
  bool no_split = false;
  std::uint64_t search_count = 0;        ///< torch `get_free_blocks_call_count`: the clock of garbage collection
  std::vector<std::uint32_t> sets = {};  ///< its StreamBlocks, by stream handle
};

/// A pair of pools for a CUDA graph or a MemPool.
struct PrivatePool {
  MempoolId id;
  std::uint32_t small = 0;
  std::uint32_t large = 0;
  bool use_on_oom = false;
  std::uint64_t use_count = 1;
  std::uint64_t segments = 0;  ///< held by its pools; without users and segments it is deleted
  bool alive = true;

  bool is_freeable() const { return alive && use_count == 0; }
};

}  // namespace dryfit::simulator
