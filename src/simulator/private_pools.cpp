// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Private pools, for CUDA graphs and users' MemPools.
#include <algorithm>

#include "base/check.h"
#include "simulator/caching_allocator_impl.h"

namespace dryfit::simulator {

std::uint32_t CachingAllocator::Impl::find_private_pool(MempoolId id) const {
  const auto found = std::find_if(private_pools_.begin(), private_pools_.end(),
                                  [&](const PrivatePool& pool) { return pool.alive && pool.id == id; });
  return found == private_pools_.end() ? kNone : static_cast<std::uint32_t>(found - private_pools_.begin());
}

bool CachingAllocator::Impl::may_expand(PoolKind kind) const {
  switch (kind) {
    case PoolKind::kGraph:
      return version_.graph_pools_may_expand();
    case PoolKind::kMempool:
      return version_.mempools_may_expand();
    case PoolKind::kMempoolWithAllocator:
      return false;
  }
  return false;
}

/// The pool with that id, with one more user.
std::uint32_t CachingAllocator::Impl::private_pool(MempoolId id, PoolOptions options) {
  if (const std::uint32_t found = find_private_pool(id); found != kNone) {
    ++private_pools_[found].use_count;
    return found;
  }
  const auto made = static_cast<std::uint32_t>(private_pools_.size());
  const BlockPool pool{.owner = made, .may_expand = may_expand(options.kind), .no_split = options.no_split};
  BlockPool small = pool;
  small.is_small = true;
  private_pools_.push_back(
      {.id = id, .small = make_pool(small), .large = make_pool(pool), .use_on_oom = options.use_on_oom});
  return made;
}

void CachingAllocator::Impl::begin_allocate_to_pool(MempoolId pool, std::optional<StreamId> stream,
                                                    PoolOptions options) {
  DRYFIT_CHECK(!pool.is_default());
  routes_.push_back({private_pool(pool, options), stream});
}

void CachingAllocator::Impl::end_allocate_to_pool(MempoolId pool) {
  const auto route = std::find_if(routes_.rbegin(), routes_.rend(),
                                  [&](const Route& open) { return private_pools_[open.private_pool].id == pool; });
  DRYFIT_CHECK(route != routes_.rend());
  routes_.erase(std::next(route).base());
}

void CachingAllocator::Impl::release_pool(MempoolId pool) {
  const std::uint32_t found = find_private_pool(pool);
  DRYFIT_CHECK(found != kNone && private_pools_[found].use_count > 0);
  --private_pools_[found].use_count;
}

void CachingAllocator::Impl::end_capture() {
  DRYFIT_CHECK(captures_underway_ > 0);
  if (--captures_underway_ == 0) insert_deferred_events();
}

std::uint32_t CachingAllocator::Impl::routed_pool_for(Bytes size, StreamId stream) const {
  const bool is_small = size <= kSmallSize;
  const auto route = std::find_if(routes_.rbegin(), routes_.rend(),
                                  [&](const Route& open) { return !open.stream || *open.stream == stream; });
  if (route == routes_.rend()) return is_small ? kDefaultSmallPool : kDefaultLargePool;
  const PrivatePool& pool = private_pools_[route->private_pool];
  return is_small ? pool.small : pool.large;
}

/// A request of the default pools may be served by what is cached in a MemPool that allows it, and is that pool's then.
BlockIndex CachingAllocator::Impl::try_mempool_fallback(AllocParams& params) {
  if (pools_[params.pool].owner != kNone) return kNone;
  for (const PrivatePool& pool : private_pools_) {
    if (!pool.alive || !pool.use_on_oom) continue;
    AllocParams there = params;
    there.pool = pools_[params.pool].is_small ? pool.small : pool.large;
    there.set = set_of(there.pool, params.stream);
    there.expandable = config_.expandable_segments && pools_[there.pool].may_expand;
    const BlockIndex found = get_free_block(there);
    if (found == kNone) continue;
    params = there;
    return found;
  }
  return kNone;
}

}  // namespace dryfit::simulator
