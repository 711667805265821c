// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/address_space.h"

#include <algorithm>
#include <iterator>

namespace dryfit {

using namespace literals;

namespace {
constexpr Bytes kChunk = 32_MiB;
}

AddressSpace::AddressSpace(Address begin, Address end, AddressOrder order, const std::vector<RecordedSegment>& recorded)
    : begin_(begin), end_(end), order_(order), recorded_end_(begin), bottom_(begin), top_(end) {
  if (order == AddressOrder::recorded) plan(recorded);
}

void AddressSpace::plan(const std::vector<RecordedSegment>& recorded) {
  if (recorded.empty()) return;
  Address lowest = recorded.front().address;
  Address highest = lowest;
  for (const auto& segment : recorded) {
    lowest = std::min(lowest, segment.address);
    highest = std::max(highest, segment.address + segment.size.count);
  }
  if (highest - lowest > end_ - begin_) return;
  for (const auto& segment : recorded) {
    planned_[segment.size.count].push_back(begin_ + (segment.address - lowest));
  }
  bottom_ = recorded_end_ = begin_ + (highest - lowest);
}

std::optional<Address> AddressSpace::take_segment(Bytes size) {
  const auto planned = planned_.find(size.count);
  if (planned == planned_.end() || planned->second.empty()) return take(size);
  const Address address = planned->second.front();
  if (is_live(address, size.count)) return take(size);
  planned->second.pop_front();
  live_recorded_.emplace(address, size.count);
  return address;
}

bool AddressSpace::is_live(Address address, std::uint64_t size) const {
  const auto next = live_recorded_.lower_bound(address);
  if (next != live_recorded_.end() && next->first < address + size) return true;
  return next != live_recorded_.begin() && std::prev(next)->first + std::prev(next)->second > address;
}

std::optional<Address> AddressSpace::take(Bytes size) {
  const bool lowest_first = order_ == AddressOrder::chunk || order_ == AddressOrder::recorded;
  const auto range = lowest_first ? lowest_fit(size.count) : best_fit(size.count);
  if (range != free_.end()) return take_from(range, size.count);
  switch (order_) {
    case AddressOrder::ascending:
      return extend_up(size.count);
    case AddressOrder::descending:
      return extend_down(size.count);
    case AddressOrder::chunk:
    case AddressOrder::recorded:
      break;
  }
  const Bytes chunk = round_up(size, kChunk);
  const auto address = extend_down(chunk.count);
  if (address && chunk > size) give(*address + size.count, chunk - size);
  return address;
}

void AddressSpace::give(Address address, Bytes size) {
  if (is_recorded(address)) {
    live_recorded_.erase(address);
    return;
  }
  auto range = free_.emplace(address, size.count).first;
  if (const auto next = std::next(range); next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  if (const auto previous = std::prev(range); previous->first + previous->second == range->first) {
    previous->second += range->second;
    free_.erase(range);
  }
}

Address AddressSpace::take_from(Ranges::iterator range, std::uint64_t size) {
  const auto [address, available] = *range;
  free_.erase(range);
  if (available > size) free_.emplace(address + size, available - size);
  return address;
}

std::optional<Address> AddressSpace::extend_down(std::uint64_t size) {
  if (top_ - bottom_ < size) return std::nullopt;
  return top_ -= size;
}

std::optional<Address> AddressSpace::extend_up(std::uint64_t size) {
  if (top_ - bottom_ < size) return std::nullopt;
  const Address address = bottom_;
  bottom_ += size;
  return address;
}

AddressSpace::Ranges::iterator AddressSpace::lowest_fit(std::uint64_t size) {
  auto range = free_.begin();
  while (range != free_.end() && range->second < size) ++range;
  return range;
}

AddressSpace::Ranges::iterator AddressSpace::best_fit(std::uint64_t size) {
  auto best = free_.end();
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    if (range->second >= size && (best == free_.end() || range->second < best->second)) best = range;
  }
  return best;
}

}  // namespace dryfit
