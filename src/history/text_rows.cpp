// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/text_rows.h"

#include <algorithm>
#include <cctype>

namespace dryfit::history {
namespace {

struct Column {
  std::string name;
  std::string unit;
};

std::vector<std::string> cut(std::string_view line, char separator) {
  std::vector<std::string> fields;
  while (true) {
    const auto end = line.find(separator);
    fields.emplace_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::vector<Column> columns_of(const std::vector<std::string>& header) {
  std::vector<Column> columns;
  for (const auto& field : header) {
    const auto open = field.find(" [");
    if (open == std::string::npos || !field.ends_with(']')) {
      columns.push_back({field, ""});
    } else {
      columns.push_back({field.substr(0, open), field.substr(open + 2, field.size() - open - 3)});
    }
  }
  return columns;
}

/// Surplus fields are joined back onto the greedy column, from which they were cut.
void join_greedy(std::vector<std::string>& fields, const std::vector<Column>& columns, char separator,
                 std::string_view greedy) {
  const auto found = std::ranges::find(columns, greedy, &Column::name);
  if (greedy.empty() || found == columns.end()) return;
  const auto at = static_cast<std::size_t>(found - columns.begin());
  while (fields.size() > columns.size()) {
    fields[at] += separator + fields[at + 1];
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

TextRow row_of(const std::vector<std::string>& fields, const std::vector<Column>& columns, std::size_t line) {
  TextRow row{.line = line, .fields = {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [name, unit] = columns[i];
    row.fields[name] = unit.empty() || !is_number(fields[i]) ? fields[i] : fields[i] + " " + unit;
  }
  return row;
}

}  // namespace

std::string TextRow::operator[](std::string_view column) const {
  const auto found = fields.find(column);
  return found == fields.end() ? std::string() : found->second;
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

Result<std::vector<TextRow>> parse_rows(std::string_view text, char separator, std::string_view greedy) {
  std::vector<TextRow> rows;
  std::vector<std::string> header;
  std::vector<Column> columns;
  std::size_t number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    auto fields = cut(line, separator);
    if (header.empty()) {
      header = fields;
      columns = columns_of(header);
    }
    if (fields == header) continue;
    join_greedy(fields, columns, separator, greedy);
    if (fields.size() != columns.size()) {
      return Error{"line " + std::to_string(number) + ": " + std::to_string(fields.size()) +
                       " fields, but the header has " + std::to_string(columns.size()),
                   "Give the command's output unchanged."};
    }
    rows.push_back(row_of(fields, columns, number));
  }
  return rows;
}

}  // namespace dryfit::history
