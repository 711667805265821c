// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Blocks on their way back to the cache: at once, after events, or in two parts.
#include <algorithm>

#include "base/check.h"
#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {

void CachingAllocator::Impl::note_deallocation(Block& block) {
  DRYFIT_CHECK(block.allocated);
  block.allocated = false;
  for_both(block.is_small, [&](PoolStatistics& stats) {
    stats.allocation.decrease(1);
    stats.allocated_bytes.decrease(block.size.count);
  });
  if (block.size >= config_.max_split_size) statistics.oversize_allocations.decrease(1);
}

void CachingAllocator::Impl::free(BlockIndex block) {
  note_deallocation(blocks_[block]);
  if (!blocks_[block].has_stream_uses) [[likely]]
    return free_block(block);
  if (captures_underway_ > 0) return deferred_until_no_capture_.push_back(block);
  insert_events(block);
}

void CachingAllocator::Impl::record_stream(BlockIndex block, StreamId stream) {
  DRYFIT_CHECK(blocks_[block].allocated);
  if (sets_[blocks_[block].set].stream == stream) return;
  std::vector<StreamId>& uses = stream_uses_[block];
  if (std::find(uses.begin(), uses.end(), stream) != uses.end()) return;
  uses.push_back(stream);
  blocks_[block].has_stream_uses = true;
}

void CachingAllocator::Impl::insert_events(BlockIndex block) {
  const auto uses = stream_uses_.extract(block);
  blocks_[block].has_stream_uses = false;
  for (const StreamId stream : uses.mapped()) {
    ++blocks_[block].event_count;
    events_.record(stream, block);
  }
}

void CachingAllocator::Impl::insert_deferred_events() {
  for (const BlockIndex block : deferred_until_no_capture_) insert_events(block);
  deferred_until_no_capture_.clear();
}

void CachingAllocator::Impl::process_events() {
  if (captures_underway_ > 0) return;
  events_.take_completed([this](BlockIndex block) { event_passed(block); });
}

void CachingAllocator::Impl::event_passed(BlockIndex block) {
  if (--blocks_[block].event_count == 0) finish_pending_free(block);
}

void CachingAllocator::Impl::finish_pending_free(BlockIndex block) {
  const Block& pending = blocks_[block];
  observer_->free_completed(pending.address, pending.requested, sets_[pending.set].stream);
  free_block(block);
}

void CachingAllocator::Impl::request_free(BlockIndex block) {
  note_deallocation(blocks_[block]);
  if (std::exchange(blocks_[block].has_stream_uses, false)) stream_uses_.erase(block);
  blocks_[block].event_count = 1;
  requested_frees_.push_back(block);
}

void CachingAllocator::Impl::complete_free(BlockIndex block) {
  if (std::erase(requested_frees_, block) > 0) {
    blocks_[block].event_count = 0;
    return finish_pending_free(block);
  }
  DRYFIT_CHECK(std::erase(completed_early_, block) == 1);
  blocks_.erase(block);
}

/// The caller will still name this block when its recording says so: the number stays taken, the memory is free.
void CachingAllocator::Impl::complete_free_early(BlockIndex block) {
  Block moved = blocks_[block];
  moved.event_count = 0;
  const BlockIndex index = blocks_.make(moved);
  if (moved.prev != kNone) blocks_[moved.prev].next = index;
  if (moved.next != kNone) blocks_[moved.next].prev = index;
  blocks_[block] = Block{};
  completed_early_.push_back(block);
  finish_pending_free(index);
}

/// torch `free_block`: merges with free neighbours and becomes free. The block object survives its neighbours.
void CachingAllocator::Impl::free_block(BlockIndex index) {
  const Bytes original = blocks_[index].size;
  const Bytes requested = blocks_[index].requested;
  std::int64_t split_blocks = 0;
  std::int64_t split_bytes = 0;
  for (const BlockIndex neighbour : {blocks_[index].prev, blocks_[index].next}) {
    const Bytes subsumed = try_merge_blocks(index, neighbour);
    if (subsumed.count == 0) continue;
    split_blocks -= 1;
    split_bytes -= static_cast<std::int64_t>(subsumed.count);
  }
  insert_into_blocks(index);
  const Block& block = blocks_[index];
  if (block.is_split()) {
    split_blocks += 1;
    split_bytes += static_cast<std::int64_t>(block.size.count);
  }
  const bool counts_as_split = !block.is_expandable();
  for_both(block.is_small, [&](PoolStatistics& stats) {
    if (counts_as_split) {
      stats.inactive_split.change(split_blocks);
      stats.inactive_split_bytes.change(split_bytes);
    }
    stats.active.decrease(1);
    stats.active_bytes.decrease(original.count);
    stats.requested_bytes.decrease(requested.count);
  });
}

/// The neighbour src, if it is idle and as mapped as dst, becomes part of dst. Returns its size, 0 if it did not.
Bytes CachingAllocator::Impl::try_merge_blocks(BlockIndex dst, BlockIndex src) {
  if (src == kNone) return {};
  const Block& taken = blocks_[src];
  Block& block = blocks_[dst];
  if (!taken.is_idle() || taken.mapped != block.mapped) return {};
  if (taken.mapped) {
    sets_[taken.set].free.erase(taken.size, taken.order);
  } else {
    sets_[taken.set].unmapped.erase(taken.address);
  }
  if (block.prev == src) {
    block.address = taken.address;
    if (tie_break_ != TieBreak::kBlockCounter) block.order = taken.order;
    block.prev = taken.prev;
    if (block.prev != kNone) blocks_[block.prev].next = dst;
  } else {
    block.next = taken.next;
    if (block.next != kNone) blocks_[block.next].prev = dst;
  }
  const Bytes size = taken.size;
  block.size += size;
  blocks_.erase(src);
  return size;
}

}  // namespace dryfit::simulator
