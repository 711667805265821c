// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dryfit::report {

/// How a text may look where it is shown; the caller knows the terminal.
struct Style {
  bool colour = false;
  bool utf8 = true;          ///< false: ASCII only
  std::size_t columns = 80;  ///< lines that can be broken or shortened are no wider than this
};

/// The signs that reports use, as the style allows them.
struct Glyphs {
  std::string_view yes, tight, no, unknown, plus_minus, times, arrow, none, ellipsis, limit, at_most;
};
const Glyphs& glyphs(const Style& style);

enum class Paint { good, bad, doubtful, strong, faint };

/// `text` as it can be shown on a terminal, which obeys what it finds in names of files, modules and processes: control
/// characters become visible ("\\n", "\\x1b"), a line stays one line, and only the codes of painted() remain.
std::string printable(std::string_view text);

/// The same for a text of several lines, which remain lines.
std::string printable_lines(std::string_view text);

/// `text`, its lines made printable, in a colour; without one when the style has none.
std::string painted(std::string_view text, Paint paint, const Style& style);

/// How many columns a text takes on the screen: its code points, without the codes of colours.
std::size_t width(std::string_view text);

/// `text` padded with spaces to `columns`.
std::string padded_right(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

}  // namespace dryfit::report
