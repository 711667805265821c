// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/block_pool.h"

#include <algorithm>

#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {

std::uint32_t CachingAllocator::Impl::make_pool(BlockPool pool) {
  pools_.push_back(std::move(pool));
  return static_cast<std::uint32_t>(pools_.size() - 1);
}

std::uint32_t CachingAllocator::Impl::make_set(std::uint32_t pool, StreamId stream) {
  const auto made = static_cast<std::uint32_t>(sets_.size());
  sets_.push_back({.stream = stream, .pool = pool});
  std::vector<std::uint32_t>& sets = pools_[pool].sets;
  const auto place =
      std::find_if(sets.begin(), sets.end(), [&](std::uint32_t set) { return sets_[set].stream > stream; });
  sets.insert(place, made);
  return made;
}

void CachingAllocator::Impl::erase_from_blocks(BlockIndex index) {
  const Block& block = blocks_[index];
  sets_[block.set].free.erase(block.size, block.order);
}

/// All free blocks of the pool in PyTorch's order: by stream, then best fit first.
std::vector<BlockIndex> CachingAllocator::Impl::free_blocks_of(std::uint32_t pool) const {
  std::vector<BlockIndex> blocks;
  for (const std::uint32_t set : pools_[pool].sets) {
    const FreeBlocks& free = sets_[set].free;
    for (auto position = free.begin(); position; position = free.next(position)) blocks.push_back(free[position]);
  }
  return blocks;
}

/// Note [Tie-break]
std::uint64_t CachingAllocator::Impl::order_of_new_segment(Address address, Bytes size) {
  switch (tie_break_) {
    case TieBreak::kAddress:
      return address;
    case TieBreak::kBlockCounter:
      return next_order_++;
    case TieBreak::kSegmentOrder:
      return std::exchange(next_order_, next_order_ + size.count);
  }
  return 0;
}

}  // namespace dryfit::simulator
