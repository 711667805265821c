// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/reference/reference_allocator.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace dryfit::simulator {

ReferenceAllocator::ReferenceAllocator(CachingAllocator::Options options)
    : version_(options.version),
      config_(options.config),
      round_(options.config, options.version),
      device_(options.device, std::move(options.addresses)) {
  if (config_.per_process_memory_fraction) set_memory_fraction(*config_.per_process_memory_fraction);
}

void ReferenceAllocator::set_memory_fraction(double fraction) {
  fraction_ = fraction;
  const double limit = fraction * static_cast<double>(device_.total().count);
  limit_ = static_cast<std::uint64_t>(version_.at_least(2, 13) ? std::round(limit) : std::trunc(limit));
  if (version_.at_least(2, 10) && fraction >= 1) limit_.reset();
}

ReferenceAllocator::Place ReferenceAllocator::find(Handle handle) const {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    for (std::size_t p = 0; p < segments_[s].pieces.size(); ++p) {
      if (segments_[s].pieces[p].handle == handle) return {s, p};
    }
  }
  DRYFIT_CHECK(!"unknown handle");
  return {};
}

bool ReferenceAllocator::may_expand(MempoolId pool) const {
  if (!config_.expandable_segments) return false;
  if (pool.is_default()) return true;
  switch (pools_.at(pool).options.kind) {
    case PoolKind::kGraph:
      return version_.at_least(2, 5);
    case PoolKind::kMempool:
      return version_.at_least(2, 11);
    case PoolKind::kMempoolWithAllocator:
      return false;
  }
  return false;
}

ReferenceAllocator::Request ReferenceAllocator::route(Bytes request, StreamId stream) const {
  Request routed{.stream = stream, .size = round_(request).count};
  for (const auto& [pool, only] : routes_) {
    if (!only || *only == stream) routed.pool = pool;
  }
  routed.small = routed.size <= kSmallSize.count;
  routed.expandable = may_expand(routed.pool);
  return routed;
}

/// All free mapped pieces of a pool (and stream) in the order of best fit.
std::vector<ReferenceAllocator::Place> ReferenceAllocator::free_pieces(MempoolId pool, bool small,
                                                                       std::optional<StreamId> stream) const {
  std::vector<Place> places;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    if (segment.pool != pool || segment.small != small || (stream && segment.stream != *stream)) continue;
    for (std::size_t p = 0; p < segment.pieces.size(); ++p) {
      if (segment.pieces[p].mapped && segment.pieces[p].is_idle()) places.push_back({s, p});
    }
  }
  std::sort(places.begin(), places.end(), [this](Place a, Place b) { return comes_before(a, b); });
  return places;
}

bool ReferenceAllocator::comes_before(Place a, Place b) const {
  const Segment& left = segments_[a.segment];
  const Segment& right = segments_[b.segment];
  const auto key = [this](const Segment& segment,
                          const Piece& piece) -> std::tuple<StreamId, std::uint64_t, std::uint64_t, std::uint64_t> {
    switch (version_.tie_break()) {
      case TieBreak::kAddress:
        return {segment.stream, piece.size, 0, piece.address};
      case TieBreak::kBlockCounter:
        return {segment.stream, piece.size, 0, piece.counter};
      case TieBreak::kSegmentOrder:
        return {segment.stream, piece.size, segment.age, piece.address};
    }
    return {};
  };
  return key(left, at(a)) < key(right, at(b));
}

std::uint64_t ReferenceAllocator::expanded_size(Place place) const {
  const auto& pieces = segments_[place.segment].pieces;
  const bool grows = place.piece + 1 < pieces.size() && !pieces[place.piece + 1].mapped;
  return pieces[place.piece].size + (grows ? pieces[place.piece + 1].size : 0);
}

std::optional<ReferenceAllocator::Place> ReferenceAllocator::search(const Request& request) {
  if (is_gc_armed()) ++searches_[{request.pool, request.small}];
  std::vector<Place> places = free_pieces(request.pool, request.small, request.stream);
  std::erase_if(places, [&](Place place) { return at(place).size < request.size; });
  const auto is_expandable = [&](Place place) { return segments_[place.segment].expandable; };
  if (!request.expandable) std::erase_if(places, is_expandable);
  if (places.empty()) return std::nullopt;
  std::size_t chosen = 0;
  while (is_expandable(places[chosen]) && chosen + 1 < places.size() &&
         expanded_size(places[chosen + 1]) < expanded_size(places[chosen])) {
    ++chosen;
  }
  const std::uint64_t size = at(places[chosen]).size;
  const std::uint64_t max_split = config_.max_split_size.count;
  if (request.size < max_split && size >= max_split) return std::nullopt;
  const bool too_large = size >= request.size + config_.max_non_split_rounding_size.count;
  if (request.size >= max_split && too_large) return std::nullopt;
  return places[chosen];
}

ReferenceAllocator::Answer ReferenceAllocator::malloc(Bytes bytes, StreamId stream) {
  if (bytes.count == 0) return {};
  if (bytes.count >= std::uint64_t{1} << 60) return {Outcome::kOutOfMemory};
  if (captures_ == 0) process_events();
  const Request request = route(bytes, stream);
  std::optional<Place> place = search(request);
  if (!place) {
    if (is_gc_armed()) collect_garbage();
    const double allowed = fraction_ * static_cast<double>(device_.total().count);
    if (config_.throw_on_cudamalloc_oom && !over_limit(request) &&
        static_cast<double>(reserved() + alloc_size_of(request)) > allowed) {
      ++rejections;
      return {Outcome::kRejected};
    }
    place = obtain(request, false);
  }
  if (!place) place = search_mempools(request);
  if (!place && release_available(request)) place = obtain(request, false);
  if (!place && captures_ == 0) {
    release_cached();
    place = obtain(request, true);
  }
  if (!place) {
    ++ooms;
    return {Outcome::kOutOfMemory};
  }
  if (splits(*place, request.size)) split(*place, request.size);
  Piece& piece = at(*place);
  piece.handle = next_handle_++;
  piece.allocated = true;
  piece.requested = bytes.count;
  return {Outcome::kServed, piece.handle, piece.address};
}

bool ReferenceAllocator::splits(Place place, std::uint64_t size) const {
  const Segment& segment = segments_[place.segment];
  if (!segment.pool.is_default() && pools_.at(segment.pool).options.no_split) return false;
  const std::uint64_t remaining = at(place).size - size;
  if (segment.small || may_expand(segment.pool)) return remaining >= kMinBlockSize.count;
  return size < config_.max_split_size.count && remaining > kSmallSize.count;
}

/// The front becomes a new piece, the old one keeps the rest.
void ReferenceAllocator::split(Place place, std::uint64_t size) {
  Piece front = at(place);
  front.size = size;
  front.handle = next_handle_++;
  front.counter = next_counter_++;
  Piece& rest = at(place);
  rest.address += size;
  rest.size -= size;
  rest.free_since = searches(segments_[place.segment]);
  auto& pieces = segments_[place.segment].pieces;
  pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(place.piece), front);
}

std::optional<ReferenceAllocator::Place> ReferenceAllocator::search_mempools(Request request) {
  if (!request.pool.is_default()) return std::nullopt;
  for (const auto& [id, pool] : pools_) {
    if (!pool.options.use_on_oom) continue;
    request.pool = id;
    request.expandable = may_expand(id);
    if (const auto place = search(request)) return place;
  }
  return std::nullopt;
}

std::uint64_t ReferenceAllocator::alloc_size_of(const Request& request) const {
  return get_allocation_size(Bytes{request.size}, config_.large_segment_size).count;
}

bool ReferenceAllocator::over_limit(const Request& request) const {
  return limit_ && reserved() + alloc_size_of(request) > *limit_;
}

std::optional<ReferenceAllocator::Place> ReferenceAllocator::obtain(const Request& request, bool retry) {
  if (retry) ++retries;
  if (over_limit(request)) return std::nullopt;
  if (request.expandable) return obtain_expandable(request);
  const Bytes size{alloc_size_of(request)};
  const auto address = device_.malloc(size);
  if (!address) return std::nullopt;
  segments_.push_back({request.pool, request.small, request.stream, false, 0, next_age_++});
  segments_.back().pieces.push_back(
      {.handle = next_handle_++, .address = *address, .size = size.count, .counter = next_counter_++});
  return Place{segments_.size() - 1, 0};
}

// ---- freeing

void ReferenceAllocator::free(Handle handle) {
  Piece& piece = at(find(handle));
  piece.allocated = false;
  if (piece.uses.empty()) return become_free(handle);
  if (captures_ > 0) return deferred_.push_back(handle);
  start_waiting(handle);
}

void ReferenceAllocator::record_stream(Handle handle, StreamId stream) {
  const Place place = find(handle);
  if (segments_[place.segment].stream != stream) at(place).uses.insert(stream);
}

void ReferenceAllocator::request_free(Handle handle) {
  Piece& piece = at(find(handle));
  piece.allocated = false;
  piece.requested_free = true;
  piece.uses.clear();
}

/// The piece may have been completed before; then its handle is gone or means a free piece.
void ReferenceAllocator::complete_free(Handle handle) {
  for (const Segment& segment : segments_) {
    for (const Piece& piece : segment.pieces) {
      if (piece.handle != handle || !piece.requested_free) continue;
      at(find(handle)).requested_free = false;
      return become_free(handle);
    }
  }
}

void ReferenceAllocator::start_waiting(Handle handle) {
  Piece& piece = at(find(handle));
  for (const StreamId stream : std::exchange(piece.uses, {})) {
    ++piece.events;
    events_.push_back({stream, handle, held_.count(stream) == 0});
  }
}

void ReferenceAllocator::done(StreamId stream) {
  held_.erase(stream);
  for (Event& event : events_) {
    if (event.stream == stream) event.complete = true;
  }
}

void ReferenceAllocator::process_events() {
  std::set<StreamId> stuck;
  std::vector<Event> waiting;
  std::map<StreamId, std::vector<Handle>> passed;
  for (const Event& event : events_) {
    if (!event.complete) stuck.insert(event.stream);
    if (stuck.count(event.stream) > 0) {
      waiting.push_back(event);
    } else {
      passed[event.stream].push_back(event.piece);
    }
  }
  events_ = waiting;
  for (const auto& [stream, pieces] : passed) {
    for (const Handle piece : pieces) pass_event(piece);
  }
}

void ReferenceAllocator::pass_event(Handle handle) {
  if (--at(find(handle)).events == 0) become_free(handle);
}

void ReferenceAllocator::end_capture() {
  if (--captures_ > 0) return;
  for (const Handle handle : std::exchange(deferred_, {})) start_waiting(handle);
}

void ReferenceAllocator::become_free(Handle handle) { merge_around(handle); }

/// With neighbours that are idle and as mapped as it is. The piece itself survives.
void ReferenceAllocator::merge_around(Handle handle) {
  const Place place = find(handle);
  auto& pieces = segments_[place.segment].pieces;
  std::size_t p = place.piece;
  const auto joins = [&](std::size_t other) {
    return pieces[other].is_idle() && pieces[other].mapped == pieces[p].mapped;
  };
  if (p > 0 && joins(p - 1)) {
    pieces[p].address = pieces[p - 1].address;
    pieces[p].size += pieces[p - 1].size;
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(p) - 1);
    --p;
  }
  if (p + 1 < pieces.size() && joins(p + 1)) {
    pieces[p].size += pieces[p + 1].size;
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(p) + 1);
  }
  pieces[p].free_since = searches(segments_[place.segment]);
}

// ---- private pools

void ReferenceAllocator::begin_allocate_to_pool(MempoolId pool, std::optional<StreamId> stream, PoolOptions options) {
  ++pools_.try_emplace(pool, Pool{options, 0}).first->second.users;
  routes_.emplace_back(pool, stream);
}

void ReferenceAllocator::end_allocate_to_pool(MempoolId pool) {
  const auto last =
      std::find_if(routes_.rbegin(), routes_.rend(), [&](const auto& route) { return route.first == pool; });
  routes_.erase(std::next(last).base());
}

// ---- what there is

ReferenceAllocator::Sums ReferenceAllocator::sums() const {
  Sums sums;
  for (const Segment& segment : segments_) {
    sums.segments += segment.expandable ? 0 : 1;
    for (const Piece& piece : segment.pieces) {
      const bool active = !piece.is_idle();
      if (piece.allocated) sums.allocated += piece.size;
      if (active) sums.active += piece.size;
      if (active) sums.requested += piece.requested;
      if (piece.mapped) sums.reserved += piece.size;
      if (!active && !segment.expandable && segment.pieces.size() > 1) sums.inactive_split += piece.size;
    }
  }
  return sums;
}

std::vector<SegmentInfo> ReferenceAllocator::segments() const {
  std::vector<SegmentInfo> list;
  for (const Segment& segment : segments_) {
    bool open = false;
    for (const Piece& piece : segment.pieces) {
      if (piece.mapped && !open) {
        list.push_back({piece.address, {}, segment.stream, segment.small, segment.expandable, segment.pool, {}});
      }
      open = piece.mapped;
      if (!open) continue;
      const BlockState state = piece.allocated   ? BlockState::kAllocated
                               : piece.is_idle() ? BlockState::kInactive
                                                 : BlockState::kPendingFree;
      const Bytes requested{state == BlockState::kInactive ? 0 : piece.requested};
      list.back().size += Bytes{piece.size};
      list.back().blocks.push_back({piece.address, Bytes{piece.size}, requested, state});
    }
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return list;
}

}  // namespace dryfit::simulator
