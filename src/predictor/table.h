// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// A table of text as read from a CSV file: a header, and rows with the same number of fields. A column can be read as
/// numbers or as texts; an Error names the first place that is of another kind ("runs.csv:12: ...").
class Table {
 public:
  std::size_t rows() const { return lines_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  bool has(std::string_view column) const;

  /// The column's fields. An Error if there is no such column.
  Result<std::vector<std::string>> texts(std::string_view column) const;

  /// The column as finite numbers. An empty field, a word, NaN or an infinity is an Error, as is a missing column.
  Result<std::vector<double>> numbers(std::string_view column) const;

  /// "runs.csv:12": the place of a row, for messages.
  std::string place(std::size_t row) const;

 private:
  friend Result<Table> parse_table(std::string_view text, std::string name);

  Result<std::size_t> find(std::string_view column) const;
  Status add_row(std::vector<std::string> fields, std::size_t line);

  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::string> fields_;  ///< row by row
  std::vector<std::size_t> lines_;   ///< where each row begins, from 1
};

/// Reads comma-separated values with a header. Fields may be quoted; two quotes in a quoted field are one; empty lines
/// are skipped. A row with more or fewer fields than the header, a duplicate or empty column name, and a quote that is
/// not closed are Errors. Errors call the table `name`.
Result<Table> parse_table(std::string_view text, std::string name);

/// The same from a file.
Result<Table> read_table(const std::filesystem::path& file);

}  // namespace dryfit::predictor
