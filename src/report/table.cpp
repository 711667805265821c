// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/layout.h"

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

/// A name in fewer columns than this says nothing.
constexpr std::size_t kNarrowest = 12;
constexpr std::size_t kBetweenColumns = 2;

/// Takes what the table is too wide from the columns that have cells that shrink.
void shrink(std::vector<std::vector<Cell>>& rows, std::vector<std::size_t>& widths, const Style& style) {
  if (widths.empty()) return;
  const auto sum = std::accumulate(widths.begin(), widths.end(), kBetweenColumns * (widths.size() - 1));
  auto excess = sum > style.columns ? sum - style.columns : 0;
  for (std::size_t i = 0; i < widths.size() && excess > 0; ++i) {
    const auto shrinks = [&](const auto& row) { return i < row.size() && row[i].shrinks; };
    if (widths[i] <= kNarrowest || std::ranges::none_of(rows, shrinks)) continue;
    const auto narrower = std::max(widths[i] - std::min(excess, widths[i]), kNarrowest);
    excess -= widths[i] - narrower;
    for (auto& row : rows) {
      if (shrinks(row)) row[i].text = shortened(row[i].text, narrower, style);
    }
  }
  widths = column_widths(rows);
}

std::string padded_cell(const Cell& cell, std::size_t columns, bool last, const Style& style) {
  const std::string fill(columns - width(cell.text), ' ');
  const std::string text = cell.has_paint ? painted(cell.text, cell.paint, style) : cell.text;
  if (cell.align == Align::right) return fill + text;
  return last ? text : text + fill;
}

/// Ends the line, and takes away the spaces of cells that are empty.
void end_line(std::string& text) {
  while (text.ends_with(' ')) text.pop_back();
  text += '\n';
}

}  // namespace

std::string aligned(const std::vector<std::vector<Cell>>& table, const Style& style) {
  auto rows = table;
  for (auto& row : rows) {
    for (auto& cell : row) cell.text = printable(cell.text);
  }
  auto widths = column_widths(rows);
  shrink(rows, widths, style);
  std::string result;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) result += std::string(kBetweenColumns, ' ');
      result += padded_cell(row[i], widths[i], i + 1 == row.size(), style);
    }
    end_line(result);
  }
  return result;
}

std::string fitted(const std::vector<std::vector<Cell>>& table, std::size_t least, const Style& style) {
  auto unbounded = style;
  unbounded.columns = std::string::npos;
  std::size_t all = 0;
  for (const auto& row : table) all = std::max(all, row.size());
  auto rows = table;
  auto columns = all;
  for (; columns > least && widest_line(aligned(rows, unbounded)) > style.columns; --columns) {
    for (auto& row : rows) row.resize(std::min(row.size(), columns - 1));
  }
  const auto text = aligned(rows, style);
  if (columns == all) return text;
  const auto left_out = all - columns;
  return text + wrapped(fmt::format("A wider terminal shows {} more column{}.", left_out, left_out == 1 ? "" : "s"), "",
                        "", Paint::faint, style);
}

}  // namespace dryfit::report
