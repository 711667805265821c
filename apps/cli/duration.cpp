// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "duration.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace dryfit::cli {
namespace {

constexpr double kYear = 365.0 * 24 * 3600;

std::optional<double> seconds_per(std::string_view unit) {
  if (unit.empty() || unit == "s") return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  return std::nullopt;
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const Error error{"'" + std::string(text) + "' is not a duration", "Write it like 90, 90s, 5m or 2h."};
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (code != std::errc()) return error;
  const auto unit = seconds_per(text.substr(static_cast<std::size_t>(end - text.data())));
  if (!unit) return error;
  const double seconds = number * *unit;
  if (!(seconds >= 0.001 && seconds <= kYear)) return error;
  return std::chrono::milliseconds(std::llround(seconds * 1000));
}

}  // namespace dryfit::cli
