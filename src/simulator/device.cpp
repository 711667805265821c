// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/device.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace dryfit::simulator {

void AddressPolicy::remove(Address, Bytes) {}

Address AscendingAddresses::place(Bytes size) { return std::exchange(next_, next_ + size.count); }

Address DescendingAddresses::place(Bytes size) { return end_ -= size.count; }

RecordedAddresses::RecordedAddresses(std::vector<Address> addresses) : addresses_(std::move(addresses)) {
  if (addresses_.empty()) return;
  // Far above all of them, so that the size of the highest need not be known.
  constexpr Address kGap = Address{1} << 44;
  beyond_ = AscendingAddresses(*std::max_element(addresses_.begin(), addresses_.end()) + kGap);
}

Address RecordedAddresses::place(Bytes size) {
  return used_ < addresses_.size() ? addresses_[used_++] : beyond_.place(size);
}

Device::Device(Options options, std::unique_ptr<AddressPolicy> addresses)
    : options_(options), addresses_(std::move(addresses)) {
  DRYFIT_CHECK(options_.total <= kLargestTotal && options_.context <= options_.total);
  if (!addresses_) addresses_ = std::make_unique<AscendingAddresses>();
}

std::optional<Address> Device::malloc(Bytes size) {
  if (!create(size)) return std::nullopt;
  return addresses_->place(round_up(size, kGranularity));
}

void Device::free(Address address, Bytes size) {
  release(size);
  addresses_->remove(address, round_up(size, kGranularity));
}

Address Device::reserve(Bytes size) { return addresses_->place(size); }

void Device::unreserve(Address address, Bytes size) { addresses_->remove(address, size); }

bool Device::create(Bytes size) {
  ++alloc_calls_;
  if (size > capacity()) return false;
  const Bytes whole = round_up(size, kGranularity);
  if (used_ + whole > capacity()) return false;
  used_ += whole;
  return true;
}

void Device::release(Bytes size) {
  ++free_calls_;
  used_ -= round_up(size, kGranularity);
}

}  // namespace dryfit::simulator
