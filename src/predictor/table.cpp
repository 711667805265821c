// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace dryfit::predictor {
namespace {

/// Cuts a text into records of fields.
class Records {
 public:
  explicit Records(std::string_view text) : text_(text) {}

  /// The next record that is not an empty line; none at the end, or at a quote that is not closed.
  std::optional<std::vector<std::string>> next() {
    while (!at_end() && is_line_end()) take();
    if (at_end()) return {};
    line_ = current_line_;
    std::vector<std::string> fields{field()};
    while (!broken_ && !at_end() && peek() == ',') {
      take();
      fields.push_back(field());
    }
    if (broken_) return {};
    return fields;
  }

  std::size_t line() const { return line_; }  ///< where the last record began
  bool broken() const { return broken_; }     ///< a quote was opened there and never closed

 private:
  bool at_end() const { return place_ == text_.size(); }
  char peek() const { return text_[place_]; }
  bool is_line_end() const { return peek() == '\n' || peek() == '\r'; }
  char take() {
    const char c = text_[place_++];
    if (c == '\n') ++current_line_;
    return c;
  }

  std::string field() { return !at_end() && peek() == '"' ? quoted() : plain(); }

  std::string plain() {
    std::string field;
    while (!at_end() && peek() != ',' && !is_line_end()) field += take();
    return field;
  }

  std::string quoted() {
    std::string field;
    take();
    while (!at_end()) {
      const char c = take();
      if (c != '"') {
        field += c;
      } else if (!at_end() && peek() == '"') {
        field += take();
      } else {
        return field + plain();
      }
    }
    broken_ = true;
    return field;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::size_t current_line_ = 1;
  std::size_t line_ = 1;
  bool broken_ = false;
};

std::string at(const std::string& name, std::size_t line) { return name + ":" + std::to_string(line); }

Error unclosed_quote(const std::string& name, std::size_t line) {
  return {at(name, line) + ": a quote is opened in this row and never closed",
          "Close it, or write two quotes for a literal one."};
}

Status check_header(const std::vector<std::string>& columns, const std::string& where) {
  auto sorted = columns;
  std::ranges::sort(sorted);
  if (sorted.front().empty()) return Error{where + ": a column has no name", "Name every column in the first line."};
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return {};
  return Error{where + ": the column '" + *twice + "' occurs twice", "Leave one of them out."};
}

std::optional<double> parse_finite(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

bool Table::has(std::string_view column) const { return std::ranges::find(columns_, column) != columns_.end(); }

std::string Table::place(std::size_t row) const { return at(name_, lines_[row]); }

Result<std::size_t> Table::find(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  return Error{name_ + ": no column '" + std::string(column) + "'", "Its columns are: " + joined(columns_) + "."};
}

Result<std::vector<std::string>> Table::texts(std::string_view column) const {
  const auto index = find(column);
  if (!index) return index.error();
  std::vector<std::string> texts;
  texts.reserve(rows());
  for (std::size_t row = 0; row < rows(); ++row) texts.push_back(fields_[row * columns_.size() + *index]);
  return texts;
}

Result<std::vector<double>> Table::numbers(std::string_view column) const {
  const auto index = find(column);
  if (!index) return index.error();
  std::vector<double> numbers;
  numbers.reserve(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    const auto& field = fields_[row * columns_.size() + *index];
    const auto number = parse_finite(field);
    if (!number) {
      return Error{place(row) + ": '" + std::string(column) + "' is '" + field + "', not a finite number",
                   "Correct the field or leave the row out."};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Status Table::add_row(std::vector<std::string> fields, std::size_t line) {
  if (fields.size() != columns_.size()) {
    return Error{at(name_, line) + ": " + std::to_string(fields.size()) + " fields where the header names " +
                     std::to_string(columns_.size()),
                 "Quote fields that contain a comma."};
  }
  std::ranges::move(fields, std::back_inserter(fields_));
  lines_.push_back(line);
  return {};
}

Result<Table> parse_table(std::string_view text, std::string name) {
  Table table;
  table.name_ = std::move(name);
  Records records(text);
  auto header = records.next();
  if (records.broken()) return unclosed_quote(table.name_, records.line());
  if (!header) return Error{table.name_ + ": the table is empty", "Its first line must name the columns."};
  if (auto status = check_header(*header, at(table.name_, records.line())); !status) return status.error();
  table.columns_ = std::move(*header);
  while (auto fields = records.next()) {
    if (auto status = table.add_row(std::move(*fields), records.line()); !status) return status.error();
  }
  if (records.broken()) return unclosed_quote(table.name_, records.line());
  return table;
}

Result<Table> read_table(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{file.string() + ": cannot be opened", "Give the path of a CSV file."};
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) return Error{file.string() + ": cannot be read", ""};
  return parse_table(text, file.string());
}

}  // namespace dryfit::predictor
