// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Starting in the middle of a run, and listing the state.
#include "simulator/layout.h"

#include <algorithm>

#include "base/check.h"
#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {
namespace {

Error not_loadable(const SegmentInfo& segment, const std::string& why) {
  return {"the segment at address " + std::to_string(segment.address) + " " + why,
          "The recording is damaged, or comes from an allocator other than PyTorch's own."};
}

Status check_loadable(const SegmentInfo& segment) {
  if (segment.size < kMinBlockSize || segment.size > kLargestTotal)
    return not_loadable(segment, "has an impossible size");
  if (segment.is_expandable && segment.size.count % Device::kGranularity.count != 0) {
    return not_loadable(segment, "is expandable but is not a whole number of granules long");
  }
  if (segment.address > ~Address{0} - segment.size.count) return not_loadable(segment, "ends beyond the last address");
  Address reached = segment.address;
  const Address end = segment.address + segment.size.count;
  for (const BlockInfo& block : segment.blocks) {
    if (block.state == BlockState::kInactive) continue;
    if (block.size.count == 0) return not_loadable(segment, "has a block of an impossible size");
    if (block.address < reached || block.address > end || end - block.address < block.size.count) {
      return not_loadable(segment, "has blocks that overlap or extend beyond it");
    }
    reached = block.address + block.size.count;
  }
  return {};
}

/// All of the segment in order: its blocks in use, and the free ones between them.
std::vector<BlockInfo> pieces_of(const SegmentInfo& segment) {
  std::vector<BlockInfo> pieces;
  Address reached = segment.address;
  const auto fill_up_to = [&](Address address) {
    if (address > reached) pieces.push_back({.address = reached, .size = Bytes{address - reached}});
  };
  for (const BlockInfo& block : segment.blocks) {
    if (block.state == BlockState::kInactive) continue;
    fill_up_to(block.address);
    pieces.push_back(block);
    reached = block.address + block.size.count;
  }
  fill_up_to(segment.address + segment.size.count);
  return pieces;
}

bool overlap(const SegmentInfo& a, const SegmentInfo& b) {
  return a.address < b.address + b.size.count && b.address < a.address + a.size.count;
}

/// Whether two ranges can be of one expandable segment.
bool are_alike(const SegmentInfo& a, const SegmentInfo& b) {
  return a.is_expandable && b.is_expandable && a.is_small == b.is_small && a.stream == b.stream && a.pool == b.pool;
}

}  // namespace

Status CachingAllocator::Impl::load(std::span<const SegmentInfo> segments) {
  DRYFIT_CHECK(blocks_.size() == 0);
  std::vector<const SegmentInfo*> by_address;
  for (const SegmentInfo& segment : segments) {
    if (Status status = check_loadable(segment); !status) return status;
    by_address.push_back(&segment);
  }
  std::sort(by_address.begin(), by_address.end(),
            [](const SegmentInfo* a, const SegmentInfo* b) { return a->address < b->address; });
  for (std::size_t i = 1; i < by_address.size(); ++i) {
    if (overlap(*by_address[i - 1], *by_address[i])) return not_loadable(*by_address[i], "overlaps another segment");
  }
  for (const SegmentInfo& segment : segments) {
    if (!segment.is_expandable) load_blocks(make_segment(loaded_set(segment), segment.address, segment.size), segment);
  }
  // Ranges of one expandable segment are found again by going upwards.
  for (auto segment = by_address.begin(); segment != by_address.end(); ++segment) {
    if (!(*segment)->is_expandable) continue;
    const auto stranger = std::find_if(segment, by_address.end(),
                                       [&](const SegmentInfo* other) { return !are_alike(**segment, *other); });
    const Address limit = stranger == by_address.end() ? ~Address{0} : (*stranger)->address;
    load_blocks(load_mapped_range(**segment, limit), **segment);
  }
  return {};
}

/// The set of the segment's pool and stream, its memory taken from the device.
std::uint32_t CachingAllocator::Impl::loaded_set(const SegmentInfo& segment) {
  device.adopt(segment.size);
  std::uint32_t pool = segment.is_small ? kDefaultSmallPool : kDefaultLargePool;
  if (!segment.pool.is_default()) {
    const PoolKind kind = segment.pool.first != 0 ? PoolKind::kMempool : PoolKind::kGraph;
    std::uint32_t owner = find_private_pool(segment.pool);
    if (owner == kNone) owner = private_pool(segment.pool, {.kind = kind});
    pool = segment.is_small ? private_pools_[owner].small : private_pools_[owner].large;
  }
  return set_of(pool, segment.stream);
}

/// A mapped block, in no set, out of the unmapped part of the segment that has room for it there; else of a new
/// segment, whose reservation ends before the limit.
BlockIndex CachingAllocator::Impl::load_mapped_range(const SegmentInfo& segment, Address limit) {
  const std::uint32_t set = loaded_set(segment);
  auto& unmapped = sets_[set].unmapped;
  BlockIndex block = unmapped.empty() ? kNone : unmapped.rbegin()->second;
  if (block == kNone || !has_room_for(block, segment)) {
    Bytes granule = granule_of(sets_[set].pool);
    if (segment.size.count % granule.count != 0) granule = Device::kGranularity;
    const Bytes wanted = round_up(device.total() + Bytes{device.total().count / 8}, granule);
    const Bytes room{(limit - segment.address) / granule.count * granule.count};
    block = adopt_expandable_segment(set, {segment.address, std::max(std::min(wanted, room), segment.size), granule});
  }
  if (blocks_[block].address < segment.address) {
    block = split_back(block, Bytes{segment.address - blocks_[block].address});
  } else {
    unmapped.erase(segment.address);
  }
  if (segment.size < blocks_[block].size) {
    const BlockIndex rest = split_back(block, segment.size);
    unmapped.emplace(blocks_[rest].address, rest);
  }
  blocks_[block].mapped = true;
  total_allocated_ += segment.size;
  for_both(blocks_[block].is_small, [&](PoolStatistics& stats) { stats.reserved_bytes.increase(segment.size.count); });
  return block;
}

bool CachingAllocator::Impl::has_room_for(BlockIndex unmapped, const SegmentInfo& segment) const {
  const Block& block = blocks_[unmapped];
  const ExpandableSegment& expandable = expandable_segments_[block.expandable];
  const bool is_whole = (segment.address - expandable.address) % expandable.granule.count == 0 &&
                        segment.size.count % expandable.granule.count == 0;
  return is_whole && block.address <= segment.address &&
         segment.address + segment.size.count <= block.address + block.size.count;
}

void CachingAllocator::Impl::load_blocks(BlockIndex whole, const SegmentInfo& segment) {
  const std::vector<BlockInfo> pieces = pieces_of(segment);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool is_last = i + 1 == pieces.size();
    const BlockIndex rest = is_last ? kNone : split_back(whole, pieces[i].size);
    load_block(whole, pieces[i]);
    whole = rest;
  }
}

void CachingAllocator::Impl::load_block(BlockIndex index, const BlockInfo& info) {
  Block& block = blocks_[index];
  if (info.state == BlockState::kInactive) {
    insert_into_blocks(index);
    if (!block.is_split() || block.is_expandable()) return;
    for_both(block.is_small, [&](PoolStatistics& stats) {
      stats.inactive_split.increase(1);
      stats.inactive_split_bytes.increase(block.size.count);
    });
    return;
  }
  block.requested = info.requested;
  block.allocated = true;
  for_both(block.is_small, [&](PoolStatistics& stats) {
    stats.allocation.increase(1);
    stats.allocated_bytes.increase(block.size.count);
    stats.active.increase(1);
    stats.active_bytes.increase(block.size.count);
    stats.requested_bytes.increase(block.requested.count);
  });
  if (block.size >= config_.max_split_size) statistics.oversize_allocations.increase(1);
  if (info.state == BlockState::kPendingFree) request_free(index);
}

BlockInfo CachingAllocator::Impl::info(BlockIndex index) const {
  const Block& block = blocks_[index];
  BlockInfo info{.address = block.address, .size = block.size};
  if (!block.allocated && block.is_idle()) return info;
  info.requested = block.requested;
  info.state = block.allocated ? BlockState::kAllocated : BlockState::kPendingFree;
  info.id = BlockId{index};
  return info;
}

std::vector<SegmentInfo> CachingAllocator::Impl::segments() const {
  std::vector<SegmentInfo> list;
  for (BlockIndex index = 0; index < blocks_.size(); ++index) {
    if (blocks_[index].size.count > 0 && blocks_[index].prev == kNone) append_segments_from(index, list);
  }
  std::sort(list.begin(), list.end(), [](const SegmentInfo& a, const SegmentInfo& b) { return a.address < b.address; });
  return list;
}

/// The segment that begins with this block; of an expandable one, each mapped range.
void CachingAllocator::Impl::append_segments_from(BlockIndex first, std::vector<SegmentInfo>& list) const {
  const BlockPool& pool = pool_of(blocks_[first]);
  bool open = false;
  for (BlockIndex index = first; index != kNone; index = blocks_[index].next) {
    const Block& block = blocks_[index];
    if (block.mapped && !open) {
      list.push_back({.address = block.address,
                      .stream = sets_[block.set].stream,
                      .is_small = pool.is_small,
                      .is_expandable = block.is_expandable(),
                      .pool = pool.owner == kNone ? MempoolId{} : private_pools_[pool.owner].id});
    }
    open = block.mapped;
    if (!open) continue;
    list.back().size += block.size;
    list.back().blocks.push_back(info(index));
  }
}

Bytes CachingAllocator::Impl::largest_free_block(StreamId stream) const {
  Bytes largest;
  for (const std::uint32_t pool : {kDefaultSmallPool, kDefaultLargePool}) {
    for (const std::uint32_t set : pools_[pool].sets) {
      if (sets_[set].stream != stream) continue;
      const FreeBlocks::Position last = sets_[set].free.last();
      if (last) largest = std::max(largest, blocks_[sets_[set].free[last]].size);
    }
  }
  return largest;
}

}  // namespace dryfit::simulator
