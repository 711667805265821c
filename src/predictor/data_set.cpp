// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/data_set.h"

#include <cmath>
#include <utility>

#include "base/check.h"

namespace dryfit::predictor {

std::vector<std::size_t> DataSet::rows() const {
  std::vector<std::size_t> rows;
  for (const auto& example : examples) rows.push_back(example.row);
  return rows;
}

std::vector<std::string> DataSet::groups() const {
  std::vector<std::string> groups;
  for (const auto& example : examples) groups.push_back(example.group);
  return groups;
}

std::vector<double> DataSet::truth() const {
  std::vector<double> truth;
  for (const auto& example : examples) truth.push_back(example.truth);
  return truth;
}

Status fit_bases(DataSet& data, const BaseFit& fit) {
  data.bases.clear();
  for (std::size_t fold = 0; fold < data.folds.count; ++fold) {
    auto base = fit(data.folds.trained_in(fold));
    if (!base) return base.error();
    DRYFIT_CHECK(base->size() == data.examples.size());
    for (std::size_t place = 0; place < base->size(); ++place) {
      if (std::isfinite((*base)[place]) && (*base)[place] > 0) continue;
      return Error{"the physics base of row " + std::to_string(data.examples[place].row) + " is not above zero",
                   "Correct the row or leave it out."};
    }
    data.bases.push_back(std::move(*base));
  }
  return {};
}

std::vector<double> inputs_of(const DataSet& data, std::size_t fold, std::size_t place) {
  auto inputs = data.examples[place].features;
  if (data.base_is_feature) inputs.push_back(std::log(data.bases[fold][place]));
  return inputs;
}

std::vector<std::string> input_names(const DataSet& data) {
  auto names = data.feature_names;
  if (data.base_is_feature) names.push_back("log base");
  return names;
}

void take_examples(DataSet& data, Folds folds, std::vector<Example> by_row) {
  data.examples.clear();
  for (auto& row : folds.rows) {
    DRYFIT_CHECK(row < by_row.size() && by_row[row].features.size() == data.feature_names.size());
    data.examples.push_back(std::move(by_row[row]));
    data.examples.back().row = row;
    row = data.examples.size() - 1;
  }
  data.folds = std::move(folds);
}

std::string_view kept_apart_by(std::string_view protocol) {
  return protocol.substr(0, protocol.find_first_of("0123456789_"));
}

}  // namespace dryfit::predictor
