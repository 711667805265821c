// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/out_of_fold.h"

#include <cmath>
#include <cstdio>

#include "base/check.h"

namespace dryfit::predictor {

std::uint64_t seed_of_fold(std::uint64_t seed, std::size_t fold) { return 1000 * seed + fold; }

Result<Contender> predict_out_of_fold(const DataSet& data, const Learner& learner, const std::string& name,
                                      std::uint64_t seed, const Report& report) {
  Contender contender{name + " seed " + std::to_string(seed), std::vector<double>(data.examples.size())};
  for (std::size_t fold = 0; fold < data.folds.count; ++fold) {
    const auto where = "fold " + std::to_string(fold + 1) + " of " + std::to_string(data.folds.count);
    report(contender.name + ", " + where);
    const auto places = data.folds.tested_in(fold);
    const auto predicted = learner(data, fold, seed_of_fold(seed, fold));
    if (!predicted) return Error{where + ": " + predicted.error().what, predicted.error().hint};
    DRYFIT_CHECK(predicted->size() == places.size());
    for (std::size_t i = 0; i < places.size(); ++i) contender.predicted[places[i]] = (*predicted)[i];
  }
  return contender;
}

Contender blend_of(const std::string& name, std::span<const Contender> contenders) {
  DRYFIT_CHECK(!contenders.empty());
  Contender mean{name, {}};
  for (std::size_t i = 0; i < contenders.front().predicted.size(); ++i) {
    double sum = 0;
    for (const auto& contender : contenders) sum += std::log(contender.predicted[i]);
    mean.predicted.push_back(std::exp(sum / static_cast<double>(contenders.size())));
  }
  return mean;
}

std::string predictions_table(std::span<const std::size_t> rows, std::span<const Contender> contenders) {
  std::string text = "row";
  for (const auto& contender : contenders) text += "," + contender.name;
  text += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += std::to_string(rows[i]);
    for (const auto& contender : contenders) {
      char number[64];
      std::snprintf(number, sizeof number, ",%.6g", contender.predicted[i]);
      text += number;
    }
    text += "\n";
  }
  return text;
}

}  // namespace dryfit::predictor
