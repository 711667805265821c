// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// Which rows of a data set are used, and in which fold each is tested. The training rows of a fold are all listed rows
/// that are not in it.
struct Folds {
  std::vector<std::size_t> rows;   ///< of the data table, ascending
  std::vector<std::size_t> folds;  ///< of each of `rows`, from 0
  std::size_t count = 0;           ///< of folds; each has at least one row

  /// Places in `rows`, ascending.
  std::vector<std::size_t> tested_in(std::size_t fold) const;
  std::vector<std::size_t> trained_in(std::size_t fold) const;
};

/// Reads one protocol of a fold table: the column `row` (from 0, header not counted) and the column `protocol`. It is
/// an Error if a row is not in the data table of `data_rows` rows or is listed twice, if a fold is not a whole number
/// or has no rows, or if there are fewer than two folds.
Result<Folds> folds_of(const Table& table, std::string_view protocol, std::size_t data_rows);

/// Only those rows that are among the `known` ones, which are ascending. An Error if a fold would have no rows left.
Result<Folds> among(const Folds& folds, std::span<const std::size_t> known);

}  // namespace dryfit::predictor
