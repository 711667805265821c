// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::history {

/// A row of a table that a command printed: its fields by the names in the header.
struct TextRow {
  std::size_t line = 0;  ///< from 1
  std::map<std::string, std::string, std::less<>> fields;

  /// Empty if there is no such column.
  std::string operator[](std::string_view column) const;
};

/// Cuts `text` at line breaks and `separator`; spaces around a field, empty lines and repeated headers (nvidia-smi
/// --loop) are ignored. A unit in the header ("used_gpu_memory [MiB]") is appended to values that have none. Surplus
/// separators belong to the column `greedy`, if there is one. An Error names the line that has too few or too many
/// fields.
Result<std::vector<TextRow>> parse_rows(std::string_view text, char separator, std::string_view greedy = "");

/// The lines of a text, without their ends ("\n" or "\r\n").
std::vector<std::string_view> lines_of(std::string_view text);

/// Without spaces at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace dryfit::history
