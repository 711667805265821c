// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dryfit::snapshot {

/// The number in up to 8 bytes, least significant first.
constexpr std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    number |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  }
  return number;
}

/// The same, as two's complement.
constexpr std::int64_t signed_little_endian(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto unused = 64 - 8 * bytes.size();
  return static_cast<std::int64_t>(little_endian(bytes) << unused) >> unused;
}

}  // namespace dryfit::snapshot
