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

/// Which rows of a data set are used, and in which fold each is tested. Of any fold, the training rows are all listed
/// rows that are not in it.
struct Folds {
  std::vector<std::size_t> rows;   ///< of the data table, ascending
  std::vector<std::size_t> folds;  ///< of each of `rows`, from 0
  std::size_t count = 0;           ///< of folds; every one has a row

  /// Places in `rows`, ascending.
  std::vector<std::size_t> tested_in(std::size_t fold) const;
  std::vector<std::size_t> trained_in(std::size_t fold) const;
};

/// Reads one protocol of a fold table: the column `row` (from 0, header not counted) and the column `protocol`. A row
/// that the data table of `data_rows` rows does not have or that is listed twice, a fold that is no whole number or
/// that has no rows, and fewer than two folds are Errors.
Result<Folds> folds_of(const Table& table, std::string_view protocol, std::size_t data_rows);

/// Only those rows that are among the `known` ones, which are ascending. An Error when a fold is left without any.
Result<Folds> among(const Folds& folds, std::span<const std::size_t> known);

}  // namespace dryfit::predictor
