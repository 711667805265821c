// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Expandable segments: addresses are reserved once, memory is mapped behind them granule by granule.
#include <algorithm>

#include "base/check.h"
#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {

/// More memory behind addresses that follow free ones. The block is in no set.
BlockIndex CachingAllocator::Impl::try_allocate_expandable_block(const AllocParams& params) {
  BlockIndex candidate = find_expandable_block(params);
  if (candidate == kNone) return kNone;
  if (!blocks_[candidate].mapped && !map_block(candidate, std::min(blocks_[candidate].size, params.size))) return kNone;
  while (blocks_[candidate].size < params.size) {
    const BlockIndex next = blocks_[candidate].next;
    if (next == kNone) return kNone;
    // Mapping merges it with the free block before it.
    if (!map_block(next, std::min(params.size - blocks_[candidate].size, blocks_[next].size))) return kNone;
    candidate = next;
  }
  erase_from_blocks(candidate);
  return candidate;
}

/// The first run of free and unmapped blocks, by address, that is long enough; else a new segment.
BlockIndex CachingAllocator::Impl::find_expandable_block(const AllocParams& params) {
  for (const auto& [address, unmapped] : sets_[params.set].unmapped) {
    const BlockIndex before = blocks_[unmapped].prev;
    const BlockIndex first = before != kNone && blocks_[before].is_idle() ? before : unmapped;
    if (has_available_address_space(first, params.size)) return first;
  }
  const BlockIndex created = make_expandable_segment(params.set);
  const bool refused = version_.refuses_requests_beyond_segment() && blocks_[created].size < params.size;
  return refused ? kNone : created;
}

bool CachingAllocator::Impl::has_available_address_space(BlockIndex block, Bytes size) const {
  Bytes found;
  while (found < size && block != kNone && blocks_[block].is_idle()) {
    found += blocks_[block].size;
    block = blocks_[block].next;
  }
  return found >= size;
}

BlockIndex CachingAllocator::Impl::make_expandable_segment(std::uint32_t set) {
  const Bytes granule = granule_of(sets_[set].pool);
  const Bytes size = round_up(device.total() + Bytes{device.total().count / 8}, granule);
  return adopt_expandable_segment(set, {device.reserve(size), size, granule});
}

BlockIndex CachingAllocator::Impl::adopt_expandable_segment(std::uint32_t set, const ExpandableSegment& segment) {
  const BlockPool& pool = pools_[sets_[set].pool];
  if (pool.owner != kNone) ++private_pools_[pool.owner].segments;
  expandable_segments_.push_back(segment);
  const BlockIndex block = blocks_.make({.size = segment.reserved,
                                         .address = segment.address,
                                         .order = order_of_new_segment(segment.address, segment.reserved),
                                         .set = set,
                                         .expandable = static_cast<std::uint32_t>(expandable_segments_.size() - 1),
                                         .mapped = false,
                                         .is_small = pool.is_small});
  sets_[set].unmapped.emplace(segment.address, block);
  return block;
}

/// Puts memory behind the first `size` bytes of an unmapped block, in whole granules. What is left of it becomes an
/// unmapped block of its own.
bool CachingAllocator::Impl::map_block(BlockIndex index, Bytes size) {
  const Bytes granule = expandable_segments_[blocks_[index].expandable].granule;
  const Bytes mapped = round_up(size, granule);
  if (!create_granules(mapped, granule)) return false;
  StreamBlocks& set = sets_[blocks_[index].set];
  set.unmapped.erase(blocks_[index].address);
  if (mapped < blocks_[index].size) {
    const BlockIndex rest = split_back(index, mapped);
    set.unmapped.emplace(blocks_[rest].address, rest);
  }
  blocks_[index].mapped = true;
  observer_->segment_map(blocks_[index].address, mapped, set.stream);
  try_merge_blocks(index, blocks_[index].prev);
  try_merge_blocks(index, blocks_[index].next);
  insert_into_blocks(index);
  total_allocated_ += mapped;
  for_both(blocks_[index].is_small, [&](PoolStatistics& stats) { stats.reserved_bytes.increase(mapped.count); });
  return true;
}

/// All or nothing.
bool CachingAllocator::Impl::create_granules(Bytes size, Bytes granule) {
  for (Bytes created; created < size; created += granule) {
    if (device.create(granule)) continue;
    for (; created.count > 0; created -= granule) device.release(granule);
    return false;
  }
  return true;
}

/// The block keeps its first `size` bytes. The rest is a new block behind it, in no set.
BlockIndex CachingAllocator::Impl::split_back(BlockIndex index, Bytes size) {
  Block rest = blocks_[index];
  rest.address += size.count;
  rest.size -= size;
  rest.order = tie_break_ == TieBreak::kBlockCounter ? next_order_++ : rest.order + size.count;
  rest.prev = index;
  const BlockIndex made = blocks_.make(rest);
  if (rest.next != kNone) blocks_[rest.next].prev = made;
  blocks_[index].next = made;
  blocks_[index].size = size;
  return made;
}

/// Takes the memory from behind the granules that lie wholly within a free block.
void CachingAllocator::Impl::unmap_block(BlockIndex index) {
  const ExpandableSegment& segment = expandable_segments_[blocks_[index].expandable];
  const Bytes granule = segment.granule;
  const Bytes start{blocks_[index].address - segment.address};
  const Bytes end = start + blocks_[index].size;
  const Bytes first = round_up(start, granule);
  const Bytes last{end.count / granule.count * granule.count};
  if (first >= last) return;
  erase_from_blocks(index);
  if (first > start) insert_into_blocks(split_front(index, first - start));
  if (last < end) insert_into_blocks(split_back(index, last - first));
  blocks_[index].mapped = false;
  StreamBlocks& set = sets_[blocks_[index].set];
  observer_->segment_unmap(blocks_[index].address, last - first, set.stream);
  try_merge_blocks(index, blocks_[index].prev);
  try_merge_blocks(index, blocks_[index].next);
  set.unmapped.emplace(blocks_[index].address, index);
  for (Bytes done; done < last - first; done += granule) device.release(granule);
  total_allocated_ -= last - first;
  for_both(blocks_[index].is_small,
           [&](PoolStatistics& stats) { stats.reserved_bytes.decrease((last - first).count); });
  if (!blocks_[index].is_split()) release_expandable_segment(index);
}

void CachingAllocator::Impl::release_expandable_segment(BlockIndex index) {
  const Block& block = blocks_[index];
  const ExpandableSegment& segment = expandable_segments_[block.expandable];
  DRYFIT_CHECK(block.size == segment.reserved && block.address == segment.address);
  StreamBlocks& set = sets_[block.set];
  set.unmapped.erase(block.address);
  const BlockPool& pool = pools_[set.pool];
  if (pool.owner != kNone) --private_pools_[pool.owner].segments;
  device.unreserve(segment.address, segment.reserved);
  blocks_.erase(index);
}

}  // namespace dryfit::simulator
