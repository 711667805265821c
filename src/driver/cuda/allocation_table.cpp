// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/allocation_table.h"

#include <algorithm>
#include <iterator>

namespace dryfit::driver {

const AllocationTable::Entry* AllocationTable::starting_at(Address address) const {
  const auto found = entries_.find(address);
  return found == entries_.end() ? nullptr : &*found;
}

const AllocationTable::Entry* AllocationTable::holding(Address address) const {
  const auto after = entries_.upper_bound(address);
  if (after == entries_.begin()) return nullptr;
  const auto& entry = *std::prev(after);
  const auto size = std::max<std::uint64_t>(entry.second.size.count, 1);
  return address - entry.first < size ? &entry : nullptr;
}

}  // namespace dryfit::driver
