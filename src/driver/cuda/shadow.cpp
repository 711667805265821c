// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/shadow.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace dryfit::driver {

namespace {
/// PyTorch's smallest block: a kernel handed the start of a tensor may write at least that far.
constexpr std::size_t kSmallestBlock = 512;
}  // namespace

void Shadow::write(Address address, std::span<const std::byte> bytes) {
  forget(address, bytes.size());
  if (bytes.empty() || bytes.size() > kLargest) return;
  entries_[address].assign(bytes.begin(), bytes.end());
  count();
}

void Shadow::fill(Address address, std::byte value, std::size_t size) {
  forget(address, size);
  if (size == 0 || size > kLargest) return;
  entries_[address].assign(size, value);
  count();
}

void Shadow::copy(Address to, Address from, std::size_t size) {
  if (size == 0 || size > kLargest || empty()) return forget(to, size);
  if (known_until(from, from + size) < from + size) return forget(to, size);
  std::array<std::byte, kLargest> buffer;
  const auto bytes = std::span(buffer).first(size);
  read(from, bytes);
  write(to, bytes);
}

void Shadow::forget(Address address, std::size_t size) {
  if (empty()) return;
  auto entry = entries_.lower_bound(address > kLargest ? address - kLargest : 0);
  while (entry != entries_.end() && entry->first < address + size) {
    const bool overlaps = entry->first + entry->second.size() > address;
    entry = overlaps ? entries_.erase(entry) : std::next(entry);
  }
  count();
}

void Shadow::touch(Address address) { forget(address, kSmallestBlock); }

void Shadow::forget_all() {
  entries_.clear();
  count();
}

void Shadow::read(Address address, std::span<std::byte> out) const {
  const Address end = address + out.size();
  if (known_until(address, end) < end) {
    std::memset(out.data(), 0, out.size());
    return;
  }
  for (Address at = address; at < end;) {
    const auto entry = std::prev(entries_.upper_bound(at));
    const auto skip = static_cast<std::size_t>(at - entry->first);
    const auto size = std::min<std::size_t>(entry->second.size() - skip, end - at);
    std::memcpy(out.data() + (at - address), entry->second.data() + skip, size);
    at += size;
  }
}

Address Shadow::known_until(Address address, Address end) const {
  while (address < end) {
    const auto after = entries_.upper_bound(address);
    if (after == entries_.begin()) return address;
    const auto entry = std::prev(after);
    const Address stop = entry->first + entry->second.size();
    if (stop <= address) return address;
    address = stop;
  }
  return end;
}

}  // namespace dryfit::driver
