// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/input_columns.h"

#include <cmath>

namespace dryfit::predictor {
namespace {

double scaled(double value, Scale scale) {
  switch (scale) {
    case Scale::as_is:
      return value;
    case Scale::log:
      return std::log(value);
    case Scale::log1p:
      return value < 0 ? std::nan("") : std::log1p(value);
  }
  return value;
}

Error out_of_range(const Table& table, std::size_t row, std::string_view column, const char* bound) {
  return {table.place(row) + ": '" + std::string(column) + "' is " + bound, "Correct the field or leave the row out."};
}

}  // namespace

std::string InputColumn::name() const {
  const char* const words[] = {"", "log ", "log1p "};
  return words[static_cast<int>(scale)] + std::string(column);
}

std::vector<std::string> names_of(std::span<const InputColumn> columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name());
  return names;
}

Result<std::vector<std::vector<double>>> inputs_in(const Table& table, std::span<const InputColumn> columns) {
  std::vector<std::vector<double>> inputs(table.rows());
  for (const auto& [column, scale] : columns) {
    const auto numbers = table.numbers(column);
    if (!numbers) return numbers.error();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      inputs[row].push_back(scaled((*numbers)[row], scale));
      if (std::isfinite(inputs[row].back())) continue;
      return out_of_range(table, row, column, scale == Scale::log ? "not above zero" : "below zero");
    }
  }
  return inputs;
}

Result<std::vector<double>> positive_numbers(const Table& table, std::string_view column) {
  auto numbers = table.numbers(column);
  if (!numbers) return numbers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if ((*numbers)[row] <= 0) return out_of_range(table, row, column, "not above zero");
  }
  return numbers;
}

}  // namespace dryfit::predictor
