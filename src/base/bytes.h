// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dryfit {

/// A size in bytes. Does not mix with counts, addresses or ids; arithmetic that makes sense is provided.
struct Bytes {
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::uint64_t n) { return {a.count * n}; }
  constexpr Bytes& operator+=(Bytes other) { return *this = *this + other; }
  constexpr Bytes& operator-=(Bytes other) { return *this = *this - other; }
};

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return {n}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return {n << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return {n << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return {n << 30}; }
constexpr Bytes operator""_TiB(unsigned long long n) { return {n << 40}; }
}  // namespace literals

/// Bytes in a MiB, for arithmetic with fractions of one.
inline constexpr double kMib = 1024.0 * 1024.0;

/// `size` rounded up to a multiple of `granule` (which must not be zero).
constexpr Bytes round_up(Bytes size, Bytes granule) {
  return {(size.count + granule.count - 1) / granule.count * granule.count};
}

/// "11.76 GiB", "470 MiB", "512 B": about three significant figures, for people.
std::string to_text(Bytes size);

}  // namespace dryfit
