// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Everything that returns cached memory to the device: garbage collection, the retry chain, empty_cache.
#include <algorithm>

#include "base/check.h"
#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {

Bytes CachingAllocator::Impl::gc_threshold(Bytes limit) const {
  return Bytes{static_cast<std::uint64_t>(config_.garbage_collection_threshold * static_cast<double>(limit.count))};
}

/// Narrows the range of limits with which the answer would be the same.
bool CachingAllocator::Impl::exceeds_gc_threshold(Bytes size) {
  const double share = static_cast<double>(size.count) / config_.garbage_collection_threshold;
  Bytes least{static_cast<std::uint64_t>(share)};  // the least limit that this does not exceed, but for rounding
  while (least.count > 0 && gc_threshold(Bytes{least.count - 1}) >= size) --least.count;
  while (gc_threshold(least) < size) ++least.count;
  const bool exceeds = *memory_limit_ < least;
  if (exceeds) {
    limits_alike_.below = std::min(limits_alike_.below, least);
  } else {
    limits_alike_.from = std::max(limits_alike_.from, least);
  }
  return exceeds;
}

/// Frees whole segments that have been free for longer than the average, until enough is freed or none is left.
void CachingAllocator::Impl::garbage_collect_cached_blocks() {
  const Bytes before = total_allocated_;
  if (!exceeds_gc_threshold(before)) return;
  const std::uint64_t now = pools_[kDefaultLargePool].search_count;
  const auto age = [&](BlockIndex block) { return static_cast<double>(now - blocks_[block].gc_base); };

  std::vector<BlockIndex> whole = free_blocks_of(kDefaultLargePool);
  std::erase_if(whole, [&](BlockIndex block) { return blocks_[block].is_split(); });
  double total_age = 0;
  for (const BlockIndex block : whole) total_age += age(block);

  Bytes reclaimed;
  bool freed_any = true;
  while (freed_any && !whole.empty() && exceeds_gc_threshold(before - reclaimed)) {
    const double threshold_age = total_age / static_cast<double>(whole.size());
    const auto is_old = [&](BlockIndex block) {
      if (blocks_[block].is_expandable() || age(block) < threshold_age) return false;
      reclaimed += blocks_[block].size;
      total_age -= age(block);
      release_block(block);
      return true;
    };
    freed_any = std::erase_if(whole, is_old) > 0;
  }
}

/// With max_split_size: frees one block that is large enough, or else several oversize ones, the largest first.
bool CachingAllocator::Impl::release_available_cached_blocks(const AllocParams& params) {
  if (config_.max_split_size == kUnlimited) return false;
  const Bytes wanted = std::max(params.size, config_.max_split_size);
  const FreeBlocks& free = sets_[params.set].free;
  const FreeBlocks::Position found = free.lower_bound(wanted);
  if (found && !blocks_[free[found]].is_expandable()) {
    release_block(free[found]);
    return true;
  }
  return release_oversize_blocks(free, found ? free.previous(found) : free.last(), wanted);
}

bool CachingAllocator::Impl::release_oversize_blocks(const FreeBlocks& free, FreeBlocks::Position position,
                                                     Bytes wanted) {
  std::vector<BlockIndex> taken;
  Bytes released;
  for (; position && released < wanted; position = free.previous(position)) {
    const Block& block = blocks_[free[position]];
    if (block.size < config_.max_split_size) break;
    if (block.is_expandable()) continue;
    released += block.size;
    taken.push_back(free[position]);
  }
  for (const BlockIndex block : taken) release_block(block);
  return released >= wanted;
}

void CachingAllocator::Impl::release_cached_blocks() {
  synchronize_and_free_events();
  release_blocks(kDefaultLargePool);
  release_blocks(kDefaultSmallPool);
  for (PrivatePool& pool : private_pools_) {
    if (!pool.is_freeable()) continue;
    release_blocks(pool.small);
    release_blocks(pool.large);
    pool.alive = pool.segments > 0;
  }
}

void CachingAllocator::Impl::synchronize_and_free_events() {
  ++statistics.num_sync_all_streams;
  insert_deferred_events();
  events_.take_all([this](BlockIndex block) { event_passed(block); });
  for (const BlockIndex block : std::exchange(requested_frees_, {})) complete_free_early(block);
}

void CachingAllocator::Impl::release_blocks(std::uint32_t pool) {
  std::vector<BlockIndex> to_unmap;
  for (const BlockIndex block : free_blocks_of(pool)) {
    if (blocks_[block].is_expandable()) {
      to_unmap.push_back(block);
    } else if (!blocks_[block].is_split()) {
      release_block(block);
    }
  }
  for (const BlockIndex block : to_unmap) unmap_block(block);
}

/// cudaFree of a free block that is a whole segment.
void CachingAllocator::Impl::release_block(BlockIndex index) {
  DRYFIT_CHECK(!blocks_[index].is_split() && !blocks_[index].is_expandable());
  erase_from_blocks(index);
  const Block& block = blocks_[index];
  const BlockPool& pool = pool_of(block);
  device.free(block.address, block.size);
  observer_->segment_free(block.address, block.size, sets_[block.set].stream);
  total_allocated_ -= block.size;
  for_both(block.is_small, [&](PoolStatistics& stats) {
    stats.segment.decrease(1);
    stats.reserved_bytes.decrease(block.size.count);
  });
  if (block.size >= config_.max_split_size) statistics.oversize_segments.decrease(1);
  if (pool.owner != kNone) --private_pools_[pool.owner].segments;
  blocks_.erase(index);
}

}  // namespace dryfit::simulator
