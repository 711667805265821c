// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/style.h"

#include <algorithm>

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

/// The code of a colour that `text` begins with, or nothing.
std::string_view own_code_at(std::string_view text) {
  static constexpr std::string_view kCodes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m"};
  for (const auto code : kCodes) {
    if (text.starts_with(code)) return code;
  }
  return "";
}

/// How many bytes of a control character `text` begins with: C0, DEL, or in UTF-8 C1.
std::size_t control_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7f) return 1;
  const bool is_c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return is_c1 ? 2 : 0;
}

std::string visible(unsigned char control) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (control == '\n') return "\\n";
  if (control == '\t') return "\\t";
  if (control == '\r') return "\\r";
  return std::string("\\x") + kDigits[control >> 4] + kDigits[control & 15];
}

std::string filling(std::string_view text, std::size_t columns) {
  const auto taken = width(text);
  return std::string(columns > taken ? columns - taken : 0, ' ');
}

}  // namespace

const Glyphs& glyphs(const Style& style) { return style.utf8 ? kUtf8 : kAscii; }

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t taken = own_code_at(text).size();
    const auto control = taken == 0 ? control_at(text) : 0;
    if (control > 0) {
      result += visible(static_cast<unsigned char>(text[control - 1]));
      taken = control;
    } else {
      taken = std::max<std::size_t>(taken, 1);
      result += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = text.find('\n');
    result += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

std::string painted(std::string_view text, Paint paint, const Style& style) {
  const auto shown = printable_lines(text);
  if (!style.colour || shown.empty()) return shown;
  return std::string(code_of(paint)).append(shown).append("\033[0m");
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
