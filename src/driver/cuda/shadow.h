// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "card/address_space.h"

namespace dryfit::driver {

/// Remembers the bytes of small uploads (shapes, lengths, flags), so that reading them back gives the real values until
/// a kernel may have changed them. Everything else on the modelled card reads as zeros.
///
/// A read returns remembered bytes only if all of it is known. A partly known range is a newer, larger tensor that
/// reuses the addresses of an older one, and the older one's bytes would be wrong.
///
/// Not thread-safe; the driver's lock guards it. Only empty() may be called without the lock.
class Shadow {
 public:
  /// Larger uploads are not remembered.
  static constexpr std::size_t kLargest = 4096;

  /// The device range at `address` now holds these bytes.
  void write(Address address, std::span<const std::byte> bytes);
  /// The device range now holds `value` in every byte.
  void fill(Address address, std::byte value, std::size_t size);
  /// The device range at `to` now holds what `from` holds.
  void copy(Address to, Address from, std::size_t size);
  /// Nothing is known about the range any more.
  void forget(Address address, std::size_t size);
  /// A kernel received this address: its contents may change.
  void touch(Address address);
  void forget_all();

  /// The bytes of the range if all of it is known, zeros otherwise.
  void read(Address address, std::span<std::byte> out) const;

  bool empty() const { return entries_count_.load(std::memory_order_relaxed) == 0; }

 private:
  using Entries = std::map<Address, std::vector<std::byte>>;

  /// The end of the known part of [address, end): `end` if all of it is known.
  Address known_until(Address address, Address end) const;
  void count() { entries_count_.store(entries_.size(), std::memory_order_relaxed); }

  Entries entries_;  ///< disjoint, each at most kLargest bytes
  std::atomic<std::size_t> entries_count_{0};
};

}  // namespace dryfit::driver
