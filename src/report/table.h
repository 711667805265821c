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
};

/// Rows of cells, each column as wide as its widest cell, two spaces between columns, none at the end of a line.
std::string aligned(const std::vector<std::vector<Cell>>& rows, const Style& style);

}  // namespace dryfit::report
