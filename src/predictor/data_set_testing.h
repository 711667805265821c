// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "predictor/data_set.h"

namespace dryfit::predictor::testing {

/// Examples in three folds and six groups, with three features and two tokens of two numbers. The truth is the base
/// times something that depends on the first feature and on the first token.
inline DataSet sample_set(std::size_t count) {
  DataSet data{.name = "sample", .feature_names = {"a", "b", "c"}, .token_features = 2};
  std::vector<double> base;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = [i](std::size_t of, std::size_t step) { return static_cast<double>(i * step % of); };
    base.push_back(100 * (1 + number(5, 1)));
    const double truth = base.back() * (1 + 0.1 * number(7, 2)) * (1 + 0.1 * number(4, 3));
    data.examples.push_back({.row = 10 + i,
                             .group = "group" + std::to_string(i % 6),
                             .truth = truth,
                             .features = {number(7, 2), number(5, 1), number(11, 1)},
                             .tokens = {number(4, 3), 1, number(3, 1), 2}});
    data.folds.rows.push_back(i);
    data.folds.folds.push_back(i % 3);
  }
  data.folds.count = 3;
  data.bases.assign(3, base);
  return data;
}

/// The mean of |log(predicted / truth)| over the examples tested in a fold.
inline double mean_log_error(const DataSet& data, std::size_t fold, const std::vector<double>& predicted) {
  const auto places = data.folds.tested_in(fold);
  double sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    sum += std::abs(std::log(predicted[i] / data.examples[places[i]].truth));
  }
  return sum / static_cast<double>(places.size());
}

/// The same for the base alone.
inline double mean_log_error_of_base(const DataSet& data, std::size_t fold) {
  std::vector<double> base;
  for (const auto place : data.folds.tested_in(fold)) base.push_back(data.bases[fold][place]);
  return mean_log_error(data, fold, base);
}

inline void ignore(const std::string&) {}

}  // namespace dryfit::predictor::testing
