// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/table.h"

namespace dryfit::predictor {

enum class Scale { as_is, log, log1p };

/// A column of a table as an input of a learner.
struct InputColumn {
  std::string_view column;
  Scale scale = Scale::log;

  /// "log batch", "log1p tensor cores", "share".
  std::string name() const;
};

std::vector<std::string> names_of(std::span<const InputColumn> columns);

/// The inputs of every row. An Error names the place of a number that cannot be scaled: a logarithm needs a number
/// above zero, log1p one that is not below zero.
Result<std::vector<std::vector<double>>> inputs_in(const Table& table, std::span<const InputColumn> columns);

/// A column of numbers above zero.
Result<std::vector<double>> positive_numbers(const Table& table, std::string_view column);

}  // namespace dryfit::predictor
