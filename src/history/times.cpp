// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/times.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <ctime>

namespace dryfit::history {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Whether the fields survive the conversion to seconds and back: February 31st does not.
bool is_date(const std::tm& given, std::tm read, std::int64_t seconds, bool universal) {
  const std::time_t time = seconds;
  universal ? ::gmtime_r(&time, &read) : ::localtime_r(&time, &read);
  return read.tm_mon == given.tm_mon && read.tm_mday == given.tm_mday;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text) {
  const bool universal = text.ends_with('Z');
  if (universal) text.remove_suffix(1);
  std::int64_t seconds = 0;
  if (all_digits(text)) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return code == std::errc() ? std::optional(seconds) : std::nullopt;
  }
  std::string copy(text);
  if (copy.size() > 10 && copy[10] == ' ') copy[10] = 'T';
  for (const char* form : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"}) {
    std::tm fields{};
    const char* end = ::strptime(copy.c_str(), form, &fields);
    if (!end || *end != '\0') continue;
    fields.tm_isdst = -1;
    std::tm normal = fields;
    seconds = universal ? ::timegm(&normal) : ::mktime(&normal);
    return is_date(fields, normal, seconds, universal) ? std::optional(seconds) : std::nullopt;
  }
  return std::nullopt;
}

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm fields{};
  ::gmtime_r(&time, &fields);
  std::array<char, 64> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return {text.data(), size};
}

}  // namespace dryfit::history
