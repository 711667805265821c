// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "simulator/block.h"
#include "simulator/block_pool.h"
#include "simulator/caching_allocator.h"
#include "simulator/pending_events.h"
#include "simulator/rounding.h"

namespace dryfit::simulator {

inline constexpr std::uint32_t kDefaultSmallPool = 0;
inline constexpr std::uint32_t kDefaultLargePool = 1;

/// A reserved address range to which memory is mapped granule by granule.
struct ExpandableSegment {
  Address address = 0;
  Bytes reserved;
  Bytes granule;
};

/// torch `DeviceCachingAllocator`; functions carry its names. Its parts: caching_allocator.cpp serves, block_free.cpp
/// frees, expandable_segment.cpp maps, cache_release.cpp returns memory to the device, private_pools.cpp routes,
/// layout.cpp loads and lists.
///
/// Note [Tie-break]
/// Free blocks of one stream are ordered by (size, order). What order is depends on the version:
///   kAddress       the address
///   kSegmentOrder  a made-up address: segments get made-up ranges, one above the other as they are created, so that
///                  comparing these is comparing (age of the segment, address)
///   kBlockCounter  the number of the block object; the one that survives a merge keeps its own
class CachingAllocator::Impl {
 public:
  explicit Impl(Options options);

  Allocation malloc(Bytes request, StreamId stream);
  void free(BlockIndex block);
  void record_stream(BlockIndex block, StreamId stream);
  void request_free(BlockIndex block);
  void complete_free(BlockIndex block);
  void hold(StreamId stream) { events_.hold(stream); }
  void done(StreamId stream) { events_.done(stream); }
  void empty_cache() { release_cached_blocks(); }
  void set_memory_fraction(double fraction);
  void set_memory_limit(Bytes limit) { memory_limit_ = limit; }

  void begin_allocate_to_pool(MempoolId pool, std::optional<StreamId> stream, PoolOptions options);
  void end_allocate_to_pool(MempoolId pool);
  void release_pool(MempoolId pool);
  void begin_capture() { ++captures_underway_; }
  void end_capture();

  Status load(std::span<const SegmentInfo> segments);
  std::vector<SegmentInfo> segments() const;
  BlockInfo info(BlockIndex block) const;
  Bytes largest_free_block(StreamId stream) const;

  std::optional<Bytes> memory_limit() const { return memory_limit_; }
  LimitRange limits_alike() const { return limits_alike_; }

  Statistics statistics;
  Device device;

 private:
  /// torch `AllocParams`: a request in progress.
  struct AllocParams {
    StreamId stream;
    Bytes requested;
    Bytes size;
    std::uint32_t pool;
    std::uint32_t set;
    bool expandable;  ///< its memory may come from an expandable segment
  };
  struct Route {
    std::uint32_t private_pool;
    std::optional<StreamId> stream;
  };

  // Serving (caching_allocator.cpp).
  AllocParams params_for(Bytes request, StreamId stream);
  BlockIndex get_free_block(const AllocParams& params);
  FreeBlocks::Position skip_to_suitable(const FreeBlocks& free, FreeBlocks::Position position, bool expandable) const;
  BlockIndex find_memory(AllocParams& params, Outcome& outcome);
  void note_out_of_memory(const AllocParams& params);
  bool exceeds_limit(Bytes alloc_size);
  bool is_rejected(Bytes alloc_size);
  BlockIndex alloc_block(const AllocParams& params, Bytes alloc_size, bool is_retry);
  BlockIndex make_segment(std::uint32_t set, Address address, Bytes size);
  bool should_split(const Block& block, const AllocParams& params) const;
  Allocation alloc_found_block(const AllocParams& params, BlockIndex found);
  BlockIndex split_front(BlockIndex found, Bytes size);

  // Freeing (block_free.cpp).
  void note_deallocation(Block& block);
  void insert_events(BlockIndex block);
  void insert_deferred_events();
  void process_events();
  void event_passed(BlockIndex block);
  void finish_pending_free(BlockIndex block);
  void complete_free_early(BlockIndex block);
  void free_block(BlockIndex block);
  Bytes try_merge_blocks(BlockIndex dst, BlockIndex src);

  // Sets (block_pool.cpp).
  std::uint32_t set_of(std::uint32_t pool, StreamId stream) {
    for (const std::uint32_t set : pools_[pool].sets) {
      if (sets_[set].stream == stream) return set;
    }
    return make_set(pool, stream);
  }
  std::uint32_t make_set(std::uint32_t pool, StreamId stream);
  std::uint32_t make_pool(BlockPool pool);
  const BlockPool& pool_of(const Block& block) const { return pools_[sets_[block.set].pool]; }
  void insert_into_blocks(BlockIndex index) {
    Block& block = blocks_[index];
    StreamBlocks& set = sets_[block.set];
    block.gc_base = pools_[set.pool].search_count;
    set.free.insert(block.size, block.order, index);
  }
  void erase_from_blocks(BlockIndex block);
  std::vector<BlockIndex> free_blocks_of(std::uint32_t pool) const;
  std::uint64_t order_of_new_segment(Address address, Bytes size);
  /// Every change to the statistics of a pool is applied to the totals too.
  template <class Change>
  void for_both(bool is_small, Change change) {
    change(statistics.all);
    change(is_small ? statistics.small_pool : statistics.large_pool);
  }

  // Expandable segments (expandable_segment.cpp).
  BlockIndex try_allocate_expandable_block(const AllocParams& params);
  BlockIndex find_expandable_block(const AllocParams& params);
  BlockIndex make_expandable_segment(std::uint32_t set);
  BlockIndex adopt_expandable_segment(std::uint32_t set, const ExpandableSegment& segment);
  Bytes granule_of(std::uint32_t pool) const {
    return pools_[pool].is_small ? kSmallBuffer : config_.large_segment_size;
  }
  bool has_available_address_space(BlockIndex block, Bytes size) const;
  bool map_block(BlockIndex block, Bytes size);
  bool create_granules(Bytes size, Bytes granule);
  BlockIndex split_back(BlockIndex block, Bytes size);
  void unmap_block(BlockIndex block);
  void release_expandable_segment(BlockIndex block);

  // Giving back (cache_release.cpp).
  void garbage_collect_cached_blocks();
  Bytes gc_threshold(Bytes limit) const;
  bool exceeds_gc_threshold(Bytes size);
  bool release_available_cached_blocks(const AllocParams& params);
  bool release_oversize_blocks(const FreeBlocks& free, FreeBlocks::Position position, Bytes wanted);
  void release_cached_blocks();
  void synchronize_and_free_events();
  void release_blocks(std::uint32_t pool);
  void release_block(BlockIndex block);
  bool is_gc_armed() const { return memory_limit_ && config_.garbage_collection_threshold > 0; }

  // Private pools (private_pools.cpp).
  std::uint32_t pool_for(Bytes size, StreamId stream) const {
    if (!routes_.empty()) [[unlikely]]
      return routed_pool_for(size, stream);
    return size <= kSmallSize ? kDefaultSmallPool : kDefaultLargePool;
  }
  std::uint32_t routed_pool_for(Bytes size, StreamId stream) const;
  std::uint32_t private_pool(MempoolId id, PoolOptions options);
  std::uint32_t find_private_pool(MempoolId id) const;
  bool may_expand(PoolKind kind) const;
  BlockIndex try_mempool_fallback(AllocParams& params);

  // Loading and listing (layout.cpp).
  std::uint32_t loaded_set(const SegmentInfo& segment);
  BlockIndex load_mapped_range(const SegmentInfo& segment, Address limit);
  bool has_room_for(BlockIndex unmapped, const SegmentInfo& segment) const;
  void load_blocks(BlockIndex whole, const SegmentInfo& segment);
  void load_block(BlockIndex block, const BlockInfo& info);
  void append_segments_from(BlockIndex first, std::vector<SegmentInfo>& list) const;

  TorchVersion version_;
  TieBreak tie_break_;
  AllocConfig config_;
  SizeRounding round_size_;
  Observer* observer_;
  Observer silent_;

  BlockStore blocks_;
  std::vector<StreamBlocks> sets_;
  std::vector<BlockPool> pools_;  ///< the default small one, the default large one, then those of private pools
  std::vector<PrivatePool> private_pools_;
  std::vector<Route> routes_;
  std::vector<ExpandableSegment> expandable_segments_;

  PendingEvents events_;
  std::unordered_map<BlockIndex, std::vector<StreamId>> stream_uses_;
  std::vector<BlockIndex> deferred_until_no_capture_;
  std::vector<BlockIndex> requested_frees_;
  std::vector<BlockIndex> completed_early_;

  std::uint64_t captures_underway_ = 0;
  Bytes total_allocated_;
  std::optional<Bytes> memory_limit_;
  LimitRange limits_alike_;  ///< narrowed by each comparison with the limit
  double memory_fraction_ = 1;
  std::uint64_t next_order_ = 0;
};

}  // namespace dryfit::simulator
