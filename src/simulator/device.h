// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "simulator/layout.h"

namespace dryfit::simulator {

/// Decides where a new range of device addresses lies. Never called on the fast path.
class AddressPolicy {
 public:
  virtual ~AddressPolicy() = default;
  /// The address of a new range of this size (a multiple of the device's granularity).
  virtual Address place(Bytes size) = 0;
  /// The range is no longer in use.
  virtual void remove(Address address, Bytes size);
};

/// One range after the other, upwards; no address is used twice.
class AscendingAddresses : public AddressPolicy {
 public:
  explicit AscendingAddresses(Address first = 0) : next_(first) {}
  Address place(Bytes size) override;

 private:
  Address next_;
};

/// One range below the other; no address is used twice.
class DescendingAddresses : public AddressPolicy {
 public:
  explicit DescendingAddresses(Address end) : end_(end) {}
  Address place(Bytes size) override;

 private:
  Address end_;
};

/// The addresses of a recording, in its order; when they are used up, ascending ones above all of them.
class RecordedAddresses : public AddressPolicy {
 public:
  explicit RecordedAddresses(std::vector<Address> addresses);
  Address place(Bytes size) override;

 private:
  std::vector<Address> addresses_;
  std::size_t used_ = 0;
  AscendingAddresses beyond_;
};

/// More memory than any card has; the upper limit for a device.
inline constexpr Bytes kLargestTotal{std::uint64_t{1} << 45};

/// A device made of numbers: it has a given amount of memory, allocates it in whole granules, and counts the calls.
class Device {
 public:
  struct Options {
    Bytes total = kLargestTotal;  ///< totalGlobalMem: the base of fractions and reservations
    Bytes context{0};             ///< taken before the allocator starts; not more than the total
  };
  static constexpr Bytes kGranularity{2u << 20};

  /// Without a policy: ascending addresses from 0.
  explicit Device(Options options, std::unique_ptr<AddressPolicy> addresses = nullptr);

  /// cudaMalloc: memory and addresses at once. None if there is not enough.
  std::optional<Address> malloc(Bytes size);
  void free(Address address, Bytes size);
  /// cuMemAddressReserve and its reverse: addresses only.
  Address reserve(Bytes size);
  void unreserve(Address address, Bytes size);
  /// cuMemCreate and cuMemRelease: memory only.
  bool create(Bytes size);
  void release(Bytes size);
  /// Memory that was in use before the simulation began.
  void adopt(Bytes size) { used_ += round_up(size, kGranularity); }

  Bytes total() const { return options_.total; }
  Bytes capacity() const { return options_.total - options_.context; }
  Bytes used() const { return used_; }
  std::uint64_t alloc_calls() const { return alloc_calls_; }  ///< cudaMalloc and cuMemCreate, failed ones too
  std::uint64_t free_calls() const { return free_calls_; }    ///< cudaFree and cuMemRelease

 private:
  Options options_;
  std::unique_ptr<AddressPolicy> addresses_;
  Bytes used_;
  std::uint64_t alloc_calls_ = 0;
  std::uint64_t free_calls_ = 0;
};

}  // namespace dryfit::simulator
