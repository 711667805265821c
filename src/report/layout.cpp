// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

namespace dryfit::report {
namespace {

/// Whether a word belongs to the one before it: "7.75 GiB", "22 %".
bool is_unit(std::string_view word) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB",  "GiB",   "TiB",   "%",
                                         "s", "min", "FLOP", "MFLOP", "GFLOP", "TFLOP"};
  const auto end = word.find_last_not_of(".,;:)");
  return end != std::string_view::npos && std::ranges::find(kUnits, word.substr(0, end + 1)) != std::end(kUnits);
}

/// The next word, with its unit and what follows a "±"; taken from the front of `text`.
std::string_view take_word(std::string_view& text) {
  auto end = std::min(text.find(' '), text.size());
  while (end < text.size()) {
    const auto next = std::min(text.find(' ', end + 1), text.size());
    const auto taken = text.substr(0, end);
    const bool is_open = taken.ends_with("±") || taken.ends_with("+/-");
    if (!is_open && !is_unit(text.substr(end + 1, next - end - 1))) break;
    end = next;
  }
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

std::vector<std::string> lines_of(std::string_view unsafe, std::string_view first, std::string_view rest,
                                  std::size_t columns) {
  std::vector<std::string> lines{std::string(first)};
  bool is_empty = true;  // the last line has no word yet
  const auto shown = printable(unsafe);
  std::string_view text = shown;
  while (!text.empty()) {
    const auto word = take_word(text);
    if (!is_empty && width(lines.back()) + 1 + width(word) > columns) {
      lines.emplace_back(rest);
      is_empty = true;
    }
    if (!is_empty) lines.back() += ' ';
    lines.back() += word;
    is_empty = false;
  }
  return lines;
}

/// Where the code point of that index begins; the end of the text for one beyond it.
std::size_t place_of_code_point(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool begins = (text[at] & 0xC0) != 0x80;
    if (begins && index-- == 0) break;
  }
  return at;
}

}  // namespace

std::string wrapped(std::string_view text, std::string_view first, std::string_view rest, const Style& style) {
  std::string result;
  for (const auto& line : lines_of(text, first, rest, style.columns)) result += line + "\n";
  return result;
}

std::string wrapped(std::string_view text, std::string_view first, std::string_view rest, Paint paint,
                    const Style& style) {
  std::string result;
  for (const auto& line : lines_of(text, first, rest, style.columns)) result += painted(line, paint, style) + "\n";
  return result;
}

std::string shortened(std::string_view text, std::size_t columns, const Style& style) {
  const auto length = width(text);
  const auto gap = glyphs(style).ellipsis;
  if (length <= columns || columns <= width(gap)) return std::string(text);
  const auto kept = columns - width(gap);
  const auto tail = kept / 2;  // the end of a name says most
  const auto begin = text.substr(0, place_of_code_point(text, kept - tail));
  return std::string(begin).append(gap).append(text.substr(place_of_code_point(text, length - tail)));
}

std::string sentence(std::string_view clause) {
  std::string text(clause);
  const auto word = text.substr(0, text.find(' '));
  const auto is_plain = [](unsigned char c) { return std::islower(c) || c == ',' || c == ':'; };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    widest = std::max(widest, width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return widest;
}

}  // namespace dryfit::report
