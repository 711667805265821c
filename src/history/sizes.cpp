// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/sizes.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace dryfit::history {
namespace {

constexpr std::string_view kPrefixes = "KMGT";

std::optional<double> bytes_per(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1;
  const auto power = kPrefixes.find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const auto rest = unit.substr(1);
  if (!rest.empty() && rest != "iB" && rest != "B") return std::nullopt;
  return std::pow(rest == "B" ? 1000 : 1024, static_cast<double>(power + 1));
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
  const Error error{"'" + std::string(text) + "' is not a size", "Write it like 11.2GiB, 900MiB or 12025908428."};
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc()) return error;
  auto unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto factor = bytes_per(unit);
  if (!factor) return error;
  const double bytes = std::round(number * *factor);
  if (!(bytes >= 0 && bytes <= 0x1p62)) return error;
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

}  // namespace dryfit::history
