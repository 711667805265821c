// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "base/bytes.h"
#include "card/address_space.h"
#include "trace/events.h"

namespace dryfit::driver {

enum class MemoryKind : std::uint8_t {
  device,           ///< cuMemAlloc and its relatives: whole pages
  small_device,     ///< the same, inside a shared page
  mapped,           ///< cuMemMap
  global,           ///< a variable of a module
  imported,         ///< opened from another process
  host,             ///< page-locked by us
  host_registered,  ///< the program's own, page-locked on request
  managed,          ///< cuMemAllocManaged: lives on the host, not charged to a card
};

struct Allocation {
  Bytes size;     ///< as requested
  Bytes charged;  ///< on the card
  MemoryKind kind;
  int device;
  trace::Purpose purpose = trace::Purpose::allocation;

  bool on_device() const { return kind <= MemoryKind::imported; }
};

/// The allocations by address. Not thread-safe; the driver's lock guards it.
class AllocationTable {
 public:
  using Entries = std::map<Address, Allocation>;
  using Entry = Entries::value_type;

  void insert(Address address, const Allocation& allocation) { entries_.insert_or_assign(address, allocation); }
  void erase(Address address) { entries_.erase(address); }

  /// The allocation that begins at, or contains, an address; null if there is none.
  const Entry* starting_at(Address address) const;
  const Entry* holding(Address address) const;

 private:
  Entries entries_;
};

}  // namespace dryfit::driver
