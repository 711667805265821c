// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/style.h"

namespace dryfit::report {
namespace {

constexpr Glyphs kUtf8{"✔", "!", "✘", "?", "±", "×", "→", "–", "…", "│", "≤"};
constexpr Glyphs kAscii{"+", "!", "x", "?", "+/-", "x", "->", "-", "...", "|", "<="};

/// The terminal's own colours and not their bright variants, which are hard to read on a light background.
std::string_view code_of(Paint paint) {
  switch (paint) {
    case Paint::good:
      return "\033[32m";
    case Paint::bad:
      return "\033[31m";
    case Paint::doubtful:
      return "\033[33m";
    case Paint::strong:
      return "\033[1m";
    case Paint::faint:
      return "\033[2m";
  }
  return "";
}

std::string filling(std::string_view text, std::size_t columns) {
  const auto taken = width(text);
  return std::string(columns > taken ? columns - taken : 0, ' ');
}

}  // namespace

const Glyphs& glyphs(const Style& style) { return style.utf8 ? kUtf8 : kAscii; }

std::string painted(std::string_view text, Paint paint, const Style& style) {
  if (!style.colour || text.empty()) return std::string(text);
  return std::string(code_of(paint)).append(text).append("\033[0m");
}

std::size_t width(std::string_view text) {
  std::size_t columns = 0;
  bool in_code = false;  // "\033[" up to its letter
  for (const char c : text) {
    if (c == '\033') in_code = true;
    if (!in_code && (c & 0xC0) != 0x80) ++columns;
    if (c == 'm') in_code = false;
  }
  return columns;
}

std::string padded_right(std::string_view text, std::size_t columns) {
  return std::string(text) + filling(text, columns);
}

std::string padded_left(std::string_view text, std::size_t columns) { return filling(text, columns).append(text); }

}  // namespace dryfit::report
