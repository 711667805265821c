// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// What gives memory back to the device, in the reference.
#include <algorithm>

#include "simulator/reference/reference_allocator.h"

namespace dryfit::simulator {

void ReferenceAllocator::release_whole(Handle handle) {
  const Place place = find(handle);
  device_.free(at(place).address, Bytes{at(place).size});
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(place.segment));
}

bool ReferenceAllocator::release_available(const Request& request) {
  if (config_.max_split_size == kUnlimited) return false;
  const std::uint64_t wanted = std::max(request.size, config_.max_split_size.count);
  const std::vector<Place> places = free_pieces(request.pool, request.small, request.stream);
  const auto found = std::find_if(places.begin(), places.end(), [&](Place place) { return at(place).size >= wanted; });
  if (found != places.end() && !segments_[found->segment].expandable) {
    release_whole(at(*found).handle);
    return true;
  }
  std::vector<Handle> released;
  std::uint64_t sum = 0;
  for (auto place = found; place != places.begin() && sum < wanted;) {
    --place;
    if (at(*place).size < config_.max_split_size.count) break;
    if (segments_[place->segment].expandable) continue;
    sum += at(*place).size;
    released.push_back(at(*place).handle);
  }
  for (const Handle handle : released) release_whole(handle);
  return sum >= wanted;
}

void ReferenceAllocator::release_pieces(MempoolId pool, bool small) {
  std::vector<Handle> to_unmap;
  std::vector<Handle> to_free;
  for (const Place place : free_pieces(pool, small, std::nullopt)) {
    const Segment& segment = segments_[place.segment];
    if (segment.expandable) to_unmap.push_back(at(place).handle);
    if (!segment.expandable && segment.pieces.size() == 1) to_free.push_back(at(place).handle);
  }
  for (const Handle handle : to_free) release_whole(handle);
  for (const Handle handle : to_unmap) unmap(handle);
}

void ReferenceAllocator::release_cached() {
  for (const Handle handle : std::exchange(deferred_, {})) start_waiting(handle);
  for (const Event& event : std::exchange(events_, {})) pass_event(event.piece);
  std::vector<Handle> waiting;
  for (Segment& segment : segments_) {
    for (Piece& piece : segment.pieces) {
      if (piece.requested_free) waiting.push_back(piece.handle);
    }
  }
  for (const Handle handle : waiting) {
    at(find(handle)).requested_free = false;
    become_free(handle);
  }
  release_pieces({}, false);
  release_pieces({}, true);
  for (auto pool = pools_.begin(); pool != pools_.end();) {
    const MempoolId id = pool->first;
    if (pool->second.users == 0) {
      release_pieces(id, true);
      release_pieces(id, false);
    }
    const bool holds = std::any_of(segments_.begin(), segments_.end(), [&](const Segment& s) { return s.pool == id; });
    if (pool->second.users == 0 && !holds) {
      // What comes later under this id is another pool, with clocks of its own.
      searches_.erase({id, true});
      searches_.erase({id, false});
      pool = pools_.erase(pool);
    } else {
      ++pool;
    }
  }
}

void ReferenceAllocator::collect_garbage() {
  const auto threshold =
      static_cast<std::uint64_t>(config_.garbage_collection_threshold * static_cast<double>(*limit_));
  if (reserved() <= threshold) return;
  const std::uint64_t target = reserved() - threshold;
  std::uint64_t reclaimed = 0;
  bool freed = true;
  while (reclaimed < target && freed) {
    freed = false;
    std::vector<Handle> whole;
    double ages = 0;
    const auto age = [&](Place place) { return static_cast<double>(searches_[{{}, false}] - at(place).free_since); };
    std::vector<Place> places = free_pieces({}, false, std::nullopt);
    std::erase_if(places, [&](Place place) { return segments_[place.segment].pieces.size() > 1; });
    for (const Place place : places) ages += age(place);
    for (const Place place : places) {
      const bool old = age(place) >= ages / static_cast<double>(places.size());
      if (old && !segments_[place.segment].expandable) whole.push_back(at(place).handle);
    }
    for (const Handle handle : whole) {
      reclaimed += at(find(handle)).size;
      release_whole(handle);
      freed = true;
    }
  }
}

}  // namespace dryfit::simulator
