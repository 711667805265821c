// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/style.h"

namespace dryfit::report {

enum class Align { left, right };

/// A cell of a table; the colour does not count for its width.
struct Cell {
  std::string text;
  Align align = Align::left;
  bool has_paint = false;
  Paint paint = Paint::strong;
  bool shrinks = false;  ///< a name that may lose its middle where the table would be wider than the screen
};

/// Rows of cells, which are made printable, each column as wide as its widest cell, two spaces between columns, none at the end of a line. Where
/// the table is too wide for the style, cells that may shrink do so.
std::string aligned(const std::vector<std::vector<Cell>>& rows, const Style& style);

/// With as many of its columns, from the left, as the screen has room for, and at least so many; only these shrink. Ends in
/// a line that says how many are left out, if any.
std::string fitted(const std::vector<std::vector<Cell>>& rows, std::size_t least, const Style& style);

}  // namespace dryfit::report
