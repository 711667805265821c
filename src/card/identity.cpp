// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/identity.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

namespace dryfit {
namespace {

constexpr std::uint64_t kUuidSeed = 0x6472796669742d31;  // "dryfit-1"

/// The output function of SplitMix64: neighbouring inputs give unrelated outputs.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Takes a hexadecimal number off the front of `text`.
bool take_number(std::string_view& text, int& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (end.ec != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  return true;
}

bool take_colon(std::string_view& text) {
  if (!text.starts_with(':')) return false;
  text.remove_prefix(1);
  return true;
}

unsigned char byte_of(std::uint64_t word, int index) { return static_cast<unsigned char>(word >> (8 * index)); }

}  // namespace

std::array<unsigned char, 16> device_uuid(int ordinal) {
  const auto first = mix(kUuidSeed + 2 * static_cast<std::uint64_t>(ordinal));
  const auto second = mix(kUuidSeed + 2 * static_cast<std::uint64_t>(ordinal) + 1);
  std::array<unsigned char, 16> uuid{};
  for (int i = 0; i < 8; ++i) {
    uuid[i] = byte_of(first, i);
    uuid[8 + i] = byte_of(second, i);
  }
  uuid[6] = (uuid[6] & 0x0f) | 0x40;  // RFC 9562: version 4
  uuid[8] = (uuid[8] & 0x3f) | 0x80;  // and its variant
  return uuid;
}

std::string device_uuid_text(int ordinal) {
  std::string text;
  const auto uuid = device_uuid(ordinal);
  for (int i = 0; i < 16; ++i) {
    char digits[4];
    const bool group_ends = i == 3 || i == 5 || i == 7 || i == 9;
    std::snprintf(digits, sizeof digits, group_ends ? "%02x-" : "%02x", uuid[i]);
    text += digits;
  }
  return text;
}

PciAddress pci_address(int ordinal) { return {.domain = 0, .bus = ordinal + 1, .device = 0}; }

std::string pci_bus_id(int ordinal) {
  const auto address = pci_address(ordinal);
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", address.domain, address.bus, address.device);
  return text;
}

std::optional<PciAddress> parse_pci_bus_id(std::string_view text) {
  const bool has_domain = std::ranges::count(text, ':') == 2;
  PciAddress address;
  if (has_domain && !(take_number(text, address.domain) && take_colon(text))) return std::nullopt;
  if (!take_number(text, address.bus) || !take_colon(text) || !take_number(text, address.device)) return std::nullopt;
  if (!text.empty() && !text.starts_with('.')) return std::nullopt;
  return address;
}

}  // namespace dryfit
