// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Expandable segments of the reference.
#include <algorithm>

#include "simulator/reference/reference_allocator.h"

namespace dryfit::simulator {

/// The first piece, by address, of a run of idle pieces that contains an unmapped one at its first or second place and
/// is long enough; else that of a new segment.
std::optional<ReferenceAllocator::Handle> ReferenceAllocator::expandable_start(const Request& request) {
  std::map<Address, Place> unmapped;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = segments_[s];
    if (segment.pool != request.pool || segment.small != request.small || segment.stream != request.stream) continue;
    for (std::size_t p = 0; p < segment.pieces.size(); ++p) {
      if (!segment.pieces[p].mapped) unmapped[segment.pieces[p].address] = {s, p};
    }
  }
  for (const auto& [address, place] : unmapped) {
    const auto& pieces = segments_[place.segment].pieces;
    const std::size_t first = place.piece > 0 && pieces[place.piece - 1].is_idle() ? place.piece - 1 : place.piece;
    std::uint64_t room = 0;
    for (std::size_t p = first; p < pieces.size() && pieces[p].is_idle(); ++p) room += pieces[p].size;
    if (room >= request.size) return pieces[first].handle;
  }
  const Bytes granule = request.small ? kSmallBuffer : config_.large_segment_size;
  const Bytes room = round_up(device_.total() + Bytes{device_.total().count / 8}, granule);
  segments_.push_back({request.pool, request.small, request.stream, true, granule.count, next_age_++});
  segments_.back().pieces.push_back({.handle = next_handle_++,
                                     .address = device_.reserve(room),
                                     .size = room.count,
                                     .mapped = false,
                                     .counter = next_counter_++});
  if (version_.at_least(2, 15) && room.count < request.size) return std::nullopt;
  return segments_.back().pieces[0].handle;
}

std::optional<ReferenceAllocator::Place> ReferenceAllocator::obtain_expandable(const Request& request) {
  const auto start = expandable_start(request);
  if (!start) return std::nullopt;
  Handle current = *start;
  if (!at(find(current)).mapped && !map(current, std::min(at(find(current)).size, request.size))) return std::nullopt;
  while (at(find(current)).size < request.size) {
    const Place place = find(current);
    const auto& pieces = segments_[place.segment].pieces;
    if (place.piece + 1 == pieces.size()) return std::nullopt;
    const Piece next = pieces[place.piece + 1];
    if (!map(next.handle, std::min(request.size - at(place).size, next.size))) return std::nullopt;
    current = next.handle;
  }
  return find(current);
}

bool ReferenceAllocator::map(Handle unmapped, std::uint64_t size) {
  const Place place = find(unmapped);
  Segment& segment = segments_[place.segment];
  const Bytes granule{segment.granule};
  const std::uint64_t mapped = round_up(Bytes{size}, granule).count;
  for (std::uint64_t done = 0; done < mapped; done += granule.count) {
    if (device_.create(granule)) continue;
    for (; done > 0; done -= granule.count) device_.release(granule);
    return false;
  }
  Piece& piece = segment.pieces[place.piece];
  Piece rest = piece;
  rest.handle = next_handle_++;
  rest.address += mapped;
  rest.size -= mapped;
  piece.size = mapped;
  piece.mapped = true;
  if (rest.size > 0) {
    rest.counter = next_counter_++;
    segment.pieces.insert(segment.pieces.begin() + static_cast<std::ptrdiff_t>(place.piece) + 1, rest);
  }
  merge_around(unmapped);
  return true;
}

void ReferenceAllocator::unmap(Handle handle) {
  const Place place = find(handle);
  Segment& segment = segments_[place.segment];
  const Piece whole = segment.pieces[place.piece];
  const Address base = segment.pieces[0].address;
  const std::uint64_t granule = segment.granule;
  const Address first = base + (whole.address - base + granule - 1) / granule * granule;
  const Address last = base + (whole.address + whole.size - base) / granule * granule;
  if (first >= last) return;
  std::vector<Piece> parts;
  const auto add = [&](Address from, Address to, bool is_middle) {
    if (from == to) return;
    Piece part = whole;
    part.address = from;
    part.size = to - from;
    part.mapped = !is_middle;
    part.free_since = searches(segment);
    part.handle = is_middle ? handle : next_handle_++;
    if (!is_middle) part.counter = next_counter_++;
    parts.push_back(part);
  };
  add(whole.address, first, false);
  add(first, last, true);
  add(last, whole.address + whole.size, false);
  const auto gone = segment.pieces.begin() + static_cast<std::ptrdiff_t>(place.piece);
  segment.pieces.insert(segment.pieces.erase(gone), parts.begin(), parts.end());
  for (Address done = first; done < last; done += granule) device_.release(Bytes{granule});
  merge_around(handle);
  const Piece& only = segment.pieces[0];
  if (segment.pieces.size() > 1 || only.mapped) return;
  device_.unreserve(only.address, Bytes{only.size});
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(place.segment));
}

}  // namespace dryfit::simulator
