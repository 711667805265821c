// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/small_pages.h"

#include <iterator>

namespace dryfit::driver {

namespace {
Address page_of(Address address) { return address / kPage.count * kPage.count; }
}  // namespace

std::optional<Address> SmallPages::take(Bytes size) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [address, available] = *range;
    if (available < size.count) continue;
    free_.erase(range);
    if (available > size.count) free_.emplace(address + size.count, available - size.count);
    live_[page_of(address)] += size.count;
    return address;
  }
  return std::nullopt;
}

Address SmallPages::take_from_new_page(Address page, Bytes size) {
  live_[page] = size.count;
  if (size < kPage) free_.emplace(page + size.count, (kPage - size).count);
  return page;
}

std::optional<Address> SmallPages::give(Address address, Bytes size) {
  const Address page = page_of(address);
  const auto live = live_.find(page);
  live->second -= size.count;
  if (live->second == 0) {
    free_.erase(free_.lower_bound(page), free_.lower_bound(page + kPage.count));
    live_.erase(live);
    return page;
  }
  const auto range = free_.emplace(address, size.count).first;
  const auto next = std::next(range);
  if (next != free_.end() && range->first + range->second == next->first && page_of(next->first) == page) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range != free_.begin()) {
    const auto previous = std::prev(range);
    if (previous->first + previous->second == range->first && page_of(previous->first) == page) {
      previous->second += range->second;
      free_.erase(range);
    }
  }
  return std::nullopt;
}

}  // namespace dryfit::driver
