// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/element_size.h"

#include <algorithm>
#include <utility>

namespace dryfit::estimate {

std::optional<std::uint64_t> element_size(std::string_view type) {
  // As c10::toString and C++'s demangled names have them; the profiler uses the latter.
  static constexpr std::pair<std::string_view, std::uint64_t> kSizes[] = {
      {"float", 4},
      {"double", 8},
      {"long int", 8},
      {"long", 8},
      {"int", 4},
      {"short int", 2},
      {"short", 2},
      {"signed char", 1},
      {"unsigned char", 1},
      {"bool", 1},
      {"c10::Half", 2},
      {"c10::BFloat16", 2},
      {"c10::Float8_e4m3fn", 1},
      {"c10::Float8_e5m2", 1},
      {"c10::complex<float>", 8},
      {"c10::complex<double>", 16},
  };
  const auto found = std::ranges::find(kSizes, type, [](const auto& each) { return each.first; });
  if (found == std::end(kSizes)) return std::nullopt;
  return found->second;
}

std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& dims) {
  std::uint64_t count = 1;
  for (const auto size : dims) {
    if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return std::nullopt;
  }
  return count;
}

std::optional<Bytes> tensor_size(const Input& input) {
  const auto element = element_size(input.type);
  const auto count = element_count(input.dims);
  std::uint64_t bytes = 0;
  if (!element || !count || __builtin_mul_overflow(*element, *count, &bytes)) return std::nullopt;
  return Bytes{bytes};
}

}  // namespace dryfit::estimate
