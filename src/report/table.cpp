// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>

namespace dryfit::report {
namespace {

std::vector<std::size_t> column_widths(const std::vector<std::vector<Cell>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i].text));
  }
  return widths;
}

std::string shown(const Cell& cell, std::size_t columns, bool last, const Style& style) {
  const std::string fill(columns - width(cell.text), ' ');
  const std::string text = cell.has_paint ? painted(cell.text, cell.paint, style) : cell.text;
  if (cell.align == Align::right) return fill + text;
  return last ? text : text + fill;
}

}  // namespace

std::string aligned(const std::vector<std::vector<Cell>>& rows, const Style& style) {
  const auto widths = column_widths(rows);
  std::string result;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) result += "  ";
      result += shown(row[i], widths[i], i + 1 == row.size(), style);
    }
    result += '\n';
  }
  return result;
}

}  // namespace dryfit::report
