// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dryfit::report {

/// How a text may look where it is shown. Whoever knows the terminal decides.
struct Style {
  bool colour = false;
  bool utf8 = true;  ///< false: ASCII only
};

/// The signs that reports use, as the style allows them.
struct Glyphs {
  std::string_view yes, tight, no, unknown, plus_minus, times, arrow, none;
};
const Glyphs& glyphs(const Style& style);

enum class Paint { good, bad, doubtful, strong, faint };

/// `text` in a colour, or as it is when the style has none.
std::string painted(std::string_view text, Paint paint, const Style& style);

/// Columns that a text without colour takes on the screen: its code points.
std::size_t width(std::string_view text);

/// `text` filled up with spaces to `columns`.
std::string padded_right(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

}  // namespace dryfit::report
