// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "base/crc64.h"

#include <array>
#include <bit>
#include <cstring>

namespace dryfit {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are taken as one number");

constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42;
constexpr std::size_t kSlices = 8;

/// Table i holds what a byte contributes if i bytes follow it.
constexpr auto make_tables() {
  std::array<std::array<std::uint64_t, 256>, kSlices> tables{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ kPolynomial : value >> 1;
    tables[0][byte] = value;
  }
  for (std::size_t i = 1; i < kSlices; ++i) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto before = tables[i - 1][byte];
      tables[i][byte] = tables[0][before & 0xFF] ^ before >> 8;
    }
  }
  return tables;
}

constexpr auto kTables = make_tables();

std::uint64_t after_eight(std::uint64_t value, const char* bytes) {
  std::uint64_t eight;
  std::memcpy(&eight, bytes, sizeof eight);
  value ^= eight;
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < kSlices; ++i) result ^= kTables[kSlices - 1 - i][value >> 8 * i & 0xFF];
  return result;
}

}  // namespace

std::uint64_t crc64(std::string_view bytes, std::uint64_t before) {
  std::uint64_t value = ~before;
  for (; bytes.size() >= kSlices; bytes.remove_prefix(kSlices)) value = after_eight(value, bytes.data());
  for (const char byte : bytes) value = kTables[0][(value ^ static_cast<unsigned char>(byte)) & 0xFF] ^ value >> 8;
  return ~value;
}

}  // namespace dryfit
