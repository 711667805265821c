// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/caching_allocator.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {
namespace {

/// PyTorch refuses larger requests before its allocator sees them.
constexpr Bytes kTooLarge{std::uint64_t{1} << 60};

BlockIndex index_of(BlockId block) { return static_cast<BlockIndex>(block); }

}  // namespace

CachingAllocator::Impl::Impl(Options options)
    : device(options.device, std::move(options.addresses)),
      version_(options.version),
      tie_break_(options.version.tie_break()),
      config_(options.config),
      round_size_(options.config, options.version),
      observer_(options.observer != nullptr ? options.observer : &silent_) {
  make_pool({.is_small = true});
  make_pool({.is_small = false});
  if (config_.per_process_memory_fraction) set_memory_fraction(*config_.per_process_memory_fraction);
}

void CachingAllocator::Impl::set_memory_fraction(double fraction) {
  memory_limit_.reset();
  memory_fraction_ = fraction;
  if (version_.whole_fraction_lifts_limit() && fraction >= 1) return;
  const double limit = fraction * static_cast<double>(device.total().count);
  memory_limit_ = Bytes{static_cast<std::uint64_t>(version_.rounds_memory_limit() ? std::round(limit) : limit)};
}

// ---- serving

Allocation CachingAllocator::Impl::malloc(Bytes request, StreamId stream) {
  if (request.count == 0) return {};
  if (request >= kTooLarge) return {.outcome = Outcome::kOutOfMemory};
  if (!events_.empty()) [[unlikely]]
    process_events();
  AllocParams params = params_for(request, stream);
  BlockIndex block = get_free_block(params);
  if (block == kNone) [[unlikely]] {
    Outcome outcome = Outcome::kOutOfMemory;
    block = find_memory(params, outcome);
    if (block == kNone) return {.outcome = outcome};
  }
  return alloc_found_block(params, block);
}

CachingAllocator::Impl::AllocParams CachingAllocator::Impl::params_for(Bytes request, StreamId stream) {
  const Bytes size = round_size_(request);
  const std::uint32_t pool = pool_for(size, stream);
  return {.stream = stream,
          .requested = request,
          .size = size,
          .pool = pool,
          .set = set_of(pool, stream),
          .expandable = config_.expandable_segments && pools_[pool].may_expand};
}

/// Best fit among the free blocks of the stream; the block found leaves the free set.
BlockIndex CachingAllocator::Impl::get_free_block(const AllocParams& params) {
  if (is_gc_armed()) ++pools_[params.pool].search_count;
  FreeBlocks& free = sets_[params.set].free;
  FreeBlocks::Position position = free.lower_bound(params.size);
  if (!position) return kNone;
  if (blocks_[free[position]].is_expandable()) {
    position = skip_to_suitable(free, position, params.expandable);
    if (!position) return kNone;
  }
  const BlockIndex found = free[position];
  const Bytes size = blocks_[found].size;
  const bool is_oversize = params.size >= config_.max_split_size;
  if (!is_oversize && size >= config_.max_split_size) return kNone;
  if (is_oversize && size >= params.size + config_.max_non_split_rounding_size) return kNone;
  free.erase(position);
  return found;
}

/// Starting at an expandable block: if segments may expand, the one that would be smallest when expanded, one step at a
/// time; if not, the first block that is not expandable.
FreeBlocks::Position CachingAllocator::Impl::skip_to_suitable(const FreeBlocks& free, FreeBlocks::Position position,
                                                              bool expandable) const {
  if (!expandable) {
    while (position && blocks_[free[position]].is_expandable()) position = free.next(position);
    return position;
  }
  const auto expanded_size = [&](FreeBlocks::Position place) {
    const Block& block = blocks_[free[place]];
    const bool grows = block.next != kNone && !blocks_[block.next].mapped;
    return grows ? block.size + blocks_[block.next].size : block.size;
  };
  while (blocks_[free[position]].is_expandable()) {
    const FreeBlocks::Position next = free.next(position);
    if (!next || expanded_size(next) >= expanded_size(position)) break;
    position = next;
  }
  return position;
}

/// When no cached block fits: requests memory from the device and, if that fails, releases the cache first.
BlockIndex CachingAllocator::Impl::find_memory(AllocParams& params, Outcome& outcome) {
  if (is_gc_armed()) garbage_collect_cached_blocks();
  const Bytes alloc_size = get_allocation_size(params.size, config_.large_segment_size);
  if (is_rejected(alloc_size)) {
    ++statistics.num_oom_rejections;
    note_out_of_memory(params);
    outcome = Outcome::kRejected;
    return kNone;
  }
  BlockIndex block = alloc_block(params, alloc_size, /*is_retry=*/false);
  if (block == kNone) block = try_mempool_fallback(params);
  if (block == kNone && release_available_cached_blocks(params)) block = alloc_block(params, alloc_size, false);
  if (block == kNone && captures_underway_ == 0) {
    release_cached_blocks();
    block = alloc_block(params, alloc_size, /*is_retry=*/true);
  }
  if (block != kNone) return block;
  ++statistics.num_ooms;
  note_out_of_memory(params);
  return kNone;
}

void CachingAllocator::Impl::note_out_of_memory(const AllocParams& params) {
  const Bytes used = std::min(device.used(), device.capacity());
  observer_->out_of_memory(params.size, device.capacity() - used, params.stream);
}

bool CachingAllocator::Impl::exceeds_limit(Bytes alloc_size) {
  const Bytes wanted = total_allocated_ + alloc_size;
  const bool exceeds = memory_limit_ && wanted > *memory_limit_;
  if (exceeds) {
    limits_alike_.below = std::min(limits_alike_.below, wanted);
  } else {
    limits_alike_.from = std::max(limits_alike_.from, wanted);
  }
  return exceeds;
}

bool CachingAllocator::Impl::is_rejected(Bytes alloc_size) {
  if (!config_.throw_on_cudamalloc_oom || exceeds_limit(alloc_size)) return false;
  const double allowed = memory_fraction_ * static_cast<double>(device.total().count);
  return static_cast<double>((total_allocated_ + alloc_size).count) > allowed;
}

/// A new segment, or more of an expandable one. The block is in no set.
BlockIndex CachingAllocator::Impl::alloc_block(const AllocParams& params, Bytes alloc_size, bool is_retry) {
  if (is_retry) ++statistics.num_alloc_retries;
  if (exceeds_limit(alloc_size)) return kNone;
  if (params.expandable) return try_allocate_expandable_block(params);
  const auto address = device.malloc(alloc_size);
  if (!address) return kNone;
  const BlockIndex block = make_segment(params.set, *address, alloc_size);
  observer_->segment_alloc(*address, alloc_size, params.stream);
  return block;
}

BlockIndex CachingAllocator::Impl::make_segment(std::uint32_t set, Address address, Bytes size) {
  total_allocated_ += size;
  const BlockPool& pool = pools_[sets_[set].pool];
  for_both(pool.is_small, [&](PoolStatistics& stats) {
    stats.segment.increase(1);
    stats.reserved_bytes.increase(size.count);
  });
  if (size >= config_.max_split_size) statistics.oversize_segments.increase(1);
  if (pool.owner != kNone) ++private_pools_[pool.owner].segments;
  return blocks_.make({.size = size,
                       .address = address,
                       .order = order_of_new_segment(address, size),
                       .set = set,
                       .is_small = pool.is_small});
}

bool CachingAllocator::Impl::should_split(const Block& block, const AllocParams& params) const {
  const BlockPool& pool = pools_[params.pool];
  if (pool.no_split) return false;
  const Bytes remaining = block.size - params.size;
  if (pool.is_small || params.expandable) return remaining >= kMinBlockSize;
  return params.size < config_.max_split_size && remaining > kSmallSize;
}

/// The first `size` bytes of the block become a new one before it, in no set.
BlockIndex CachingAllocator::Impl::split_front(BlockIndex found, Bytes size) {
  const BlockIndex index = blocks_.make();
  Block& rest = blocks_[found];
  Block& front = blocks_[index];
  front = rest;
  front.size = size;
  front.next = found;
  if (rest.prev != kNone) blocks_[rest.prev].next = index;
  rest.prev = index;
  rest.address += size.count;
  rest.size -= size;
  if (tie_break_ == TieBreak::kBlockCounter) {
    front.order = next_order_++;
  } else {
    rest.order += size.count;
  }
  return index;
}

Allocation CachingAllocator::Impl::alloc_found_block(const AllocParams& params, BlockIndex found) {
  const bool was_split = blocks_[found].is_split();
  const bool counts_as_split = !blocks_[found].is_expandable();
  const bool splits = should_split(blocks_[found], params);
  const BlockIndex index = splits ? split_front(found, params.size) : found;
  if (splits) insert_into_blocks(found);
  Block& block = blocks_[index];
  block.allocated = true;
  block.requested = params.requested;
  const std::uint64_t size = block.size.count;
  const std::uint64_t remaining = splits ? blocks_[found].size.count : 0;
  for_both(block.is_small, [&](PoolStatistics& stats) {
    if (counts_as_split && was_split) {
      stats.inactive_split_bytes.decrease(size);
      if (!splits) stats.inactive_split.decrease(1);
    } else if (counts_as_split && splits) {
      stats.inactive_split_bytes.increase(remaining);
      stats.inactive_split.increase(1);
    }
    stats.allocation.increase(1);
    stats.allocated_bytes.increase(size);
    stats.active.increase(1);
    stats.active_bytes.increase(size);
    stats.requested_bytes.increase(params.requested.count);
  });
  if (block.size >= config_.max_split_size) statistics.oversize_allocations.increase(1);
  return {BlockId{index}, Outcome::kServed, block.address};
}

// ---- the interface

CachingAllocator::CachingAllocator(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
CachingAllocator::CachingAllocator(CachingAllocator&&) noexcept = default;
CachingAllocator& CachingAllocator::operator=(CachingAllocator&&) noexcept = default;
CachingAllocator::~CachingAllocator() = default;

Allocation CachingAllocator::malloc(Bytes request, StreamId stream) { return impl_->malloc(request, stream); }
void CachingAllocator::free(BlockId block) { impl_->free(index_of(block)); }
void CachingAllocator::record_stream(BlockId block, StreamId stream) { impl_->record_stream(index_of(block), stream); }
void CachingAllocator::request_free(BlockId block) { impl_->request_free(index_of(block)); }
void CachingAllocator::complete_free(BlockId block) { impl_->complete_free(index_of(block)); }
void CachingAllocator::hold(StreamId stream) { impl_->hold(stream); }
void CachingAllocator::done(StreamId stream) { impl_->done(stream); }
void CachingAllocator::empty_cache() { impl_->empty_cache(); }
void CachingAllocator::set_memory_fraction(double fraction) { impl_->set_memory_fraction(fraction); }
void CachingAllocator::set_memory_limit(Bytes limit) { impl_->set_memory_limit(limit); }
std::optional<Bytes> CachingAllocator::memory_limit() const { return impl_->memory_limit(); }
LimitRange CachingAllocator::limits_alike() const { return impl_->limits_alike(); }
void CachingAllocator::begin_allocate_to_pool(MempoolId pool, std::optional<StreamId> stream, PoolOptions options) {
  impl_->begin_allocate_to_pool(pool, stream, options);
}
void CachingAllocator::end_allocate_to_pool(MempoolId pool) { impl_->end_allocate_to_pool(pool); }
void CachingAllocator::release_pool(MempoolId pool) { impl_->release_pool(pool); }
void CachingAllocator::begin_capture() { impl_->begin_capture(); }
void CachingAllocator::end_capture() { impl_->end_capture(); }
const Statistics& CachingAllocator::statistics() const { return impl_->statistics; }
void CachingAllocator::reset_peak_statistics() { impl_->statistics.reset_peaks(); }
const Device& CachingAllocator::device() const { return impl_->device; }
Status CachingAllocator::load(std::span<const SegmentInfo> segments) { return impl_->load(segments); }
std::vector<SegmentInfo> CachingAllocator::segments() const { return impl_->segments(); }
BlockInfo CachingAllocator::block(BlockId block) const { return impl_->info(index_of(block)); }
Bytes CachingAllocator::largest_free_block(StreamId stream) const { return impl_->largest_free_block(stream); }

}  // namespace dryfit::simulator
