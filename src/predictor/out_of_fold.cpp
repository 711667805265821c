// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/out_of_fold.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "base/check.h"

namespace dryfit::training {
namespace {

using predictor::Contender;

Jobs jobs_at(const predictor::TimmMemory& data, const std::vector<std::size_t>& places) {
  Jobs jobs;
  for (const auto place : places) jobs.push_back(data.jobs[place]);
  return jobs;
}

}  // namespace

std::uint64_t seed_of_fold(std::uint64_t seed, std::size_t fold) { return 1000 * seed + fold; }

Result<Contender> predict_out_of_fold(const predictor::TimmMemory& data, const Learner& learner,
                                      const std::string& name, std::uint64_t seed, const Report& report) {
  Contender contender{name + " seed " + std::to_string(seed), std::vector<double>(data.jobs.size())};
  for (std::size_t fold = 0; fold < data.folds.count; ++fold) {
    const auto where = "fold " + std::to_string(fold + 1) + " of " + std::to_string(data.folds.count);
    report(contender.name + ", " + where);
    const auto asked = data.folds.tested_in(fold);
    const auto peaks =
        learner(jobs_at(data, data.folds.trained_in(fold)), jobs_at(data, asked), seed_of_fold(seed, fold));
    if (!peaks) return Error{where + ": " + peaks.error().what, peaks.error().hint};
    DRYFIT_CHECK(peaks->size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) contender.predicted[asked[i]] = (*peaks)[i];
  }
  return contender;
}

Contender ensemble_of(const std::string& name, std::span<const Contender> contenders) {
  DRYFIT_CHECK(!contenders.empty());
  const auto count = contenders.size();
  Contender mean{name + " x" + std::to_string(count), {}};
  for (std::size_t i = 0; i < contenders.front().predicted.size(); ++i) {
    double sum = 0;
    for (const auto& contender : contenders) sum += std::log(contender.predicted[i]);
    mean.predicted.push_back(std::exp(sum / static_cast<double>(count)));
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

}  // namespace dryfit::training
