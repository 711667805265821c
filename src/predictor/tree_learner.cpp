// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/tree_learner.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dryfit::predictor {
namespace {

std::vector<float> floats_of(const DataSet& data, std::size_t fold, std::size_t place) {
  std::vector<float> inputs;
  for (const double value : inputs_of(data, fold, place)) inputs.push_back(static_cast<float>(value));
  return inputs;
}

TreeTable table_of(const DataSet& data, std::size_t fold) {
  TreeTable table{.columns = input_names(data).size(), .inputs = {}, .answers = {}};
  for (const auto place : data.folds.trained_in(fold)) {
    std::ranges::copy(floats_of(data, fold, place), std::back_inserter(table.inputs));
    table.answers.push_back(std::log(data.examples[place].truth / data.bases[fold][place]));
  }
  return table;
}

}  // namespace

Learner tree_learner(const BoostingRecipe& recipe) {
  return [recipe](const DataSet& data, std::size_t fold, std::uint64_t seed) -> Result<std::vector<double>> {
    const auto trees = boost(table_of(data, fold), recipe, seed);
    if (!trees) return trees.error();
    std::vector<double> predicted;
    for (const auto place : data.folds.tested_in(fold)) {
      predicted.push_back(data.bases[fold][place] * std::exp(trees->answer(floats_of(data, fold, place))));
    }
    return predicted;
  };
}

}  // namespace dryfit::predictor
