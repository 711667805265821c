// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/folds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace dryfit::predictor {
namespace {

constexpr double kMostFolds = 10'000;

/// A column of whole numbers from 0 to below `end`.
Result<std::vector<std::size_t>> indices(const Table& table, std::string_view column, double end) {
  const auto numbers = table.numbers(column);
  if (!numbers) return numbers.error();
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < numbers->size(); ++row) {
    const double number = (*numbers)[row];
    if (number < 0 || number >= end || number != std::floor(number)) {
      return Error{table.place(row) + ": '" + std::string(column) + "' is not a whole number from 0 to " +
                       std::to_string(static_cast<std::size_t>(end) - 1),
                   "Use the fold file that belongs to the data table."};
    }
    found.push_back(static_cast<std::size_t>(number));
  }
  return found;
}

Status check_ascending(const Table& table, const std::vector<std::size_t>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] <= rows[i - 1]) {
      return Error{table.place(i) + ": row " + std::to_string(rows[i]) + " does not come after the row before it",
                   "List every row once, in ascending order."};
    }
  }
  return {};
}

std::optional<std::size_t> empty_fold(const Folds& folds) {
  std::vector<std::size_t> sizes(folds.count);
  for (const auto fold : folds.folds) ++sizes[fold];
  const auto empty = std::ranges::find(sizes, 0u);
  if (empty == sizes.end()) return {};
  return static_cast<std::size_t>(empty - sizes.begin());
}

Status check_folds(const Folds& folds, std::string_view protocol) {
  const std::string name = "the folds '" + std::string(protocol) + "'";
  if (folds.count < 2) return Error{name + ": fewer than two", "Name a column with at least two folds."};
  const auto empty = empty_fold(folds);
  if (!empty) return {};
  return Error{name + " have no row in fold " + std::to_string(*empty), "Number the folds from 0 without gaps."};
}

std::vector<std::size_t> places(const Folds& folds, std::size_t fold, bool tested) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < folds.folds.size(); ++i) {
    if ((folds.folds[i] == fold) == tested) found.push_back(i);
  }
  return found;
}

}  // namespace

std::vector<std::size_t> Folds::tested_in(std::size_t fold) const { return places(*this, fold, true); }

std::vector<std::size_t> Folds::trained_in(std::size_t fold) const { return places(*this, fold, false); }

Result<Folds> folds_of(const Table& table, std::string_view protocol, std::size_t data_rows) {
  auto rows = indices(table, "row", static_cast<double>(data_rows));
  if (!rows) return rows.error();
  if (auto status = check_ascending(table, *rows); !status) return status.error();
  auto folds = indices(table, protocol, kMostFolds);
  if (!folds) return folds.error();
  const auto last = folds->empty() ? 0 : *std::ranges::max_element(*folds) + 1;
  Folds result{.rows = std::move(*rows), .folds = std::move(*folds), .count = last};
  if (auto status = check_folds(result, protocol); !status) return status.error();
  return result;
}

Result<Folds> among(const Folds& folds, std::span<const std::size_t> known) {
  Folds kept{.count = folds.count};
  for (std::size_t i = 0; i < folds.rows.size(); ++i) {
    if (!std::ranges::binary_search(known, folds.rows[i])) continue;
    kept.rows.push_back(folds.rows[i]);
    kept.folds.push_back(folds.folds[i]);
  }
  const auto empty = empty_fold(kept);
  if (!empty) return kept;
  return Error{"fold " + std::to_string(*empty) + " has no row with features", "Add features for its rows."};
}

}  // namespace dryfit::predictor
