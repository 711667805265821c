// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/model_card.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace dryfit::training {
namespace {

using predictor::Metric;

std::string errors_text(const predictor::Scores& scores) {
  char text[160];
  std::snprintf(text, sizeof text, "in GiB: MSE %.3f, RMSE %.3f, MAE %.4f; MAPE %.2f %%; R2 %.4f", scores[Metric::mse],
                scores[Metric::rmse], scores[Metric::mae], scores[Metric::mape], scores[Metric::r2]);
  return text;
}

predictor::Scores scores_in_gib(const predictor::TimmMemory& data, const predictor::Contender& contender) {
  constexpr double kMibPerGib = 1024;
  std::vector<double> truth, predicted;
  for (const auto& job : data.jobs) truth.push_back(job.measured_mib / kMibPerGib);
  for (const auto peak : contender.predicted) predicted.push_back(peak / kMibPerGib);
  return predictor::score(truth, predicted);
}

}  // namespace

Result<predictor::ModelCard> card_of(const Naming& naming, const predictor::TimmMemory& data,
                                     const std::string& protocol, std::span<const predictor::Contender> predictions,
                                     const std::string& contender) {
  const auto found = std::ranges::find(predictions, contender, &predictor::Contender::name);
  if (found == predictions.end()) {
    return Error{"the predictions have no column '" + contender + "', so the model's errors are unknown",
                 "First predict out of fold, with the same network, features and number of seeds."};
  }
  std::set<std::string> models;
  std::set<std::string> modules;
  for (const auto& job : data.jobs) {
    models.insert(job.model);
    modules.insert(job.module);
  }
  return predictor::ModelCard{.name = naming.name,
                              .data = "timm-train-memory.csv: " + std::to_string(data.jobs.size()) +
                                      " measured training peaks of " + std::to_string(models.size()) + " models of " +
                                      std::to_string(modules.size()) + " modules",
                              .date = naming.date,
                              .folds = protocol + ", " + std::to_string(data.folds.count) + " folds; '" + contender +
                                       "', each job predicted without its fold",
                              .errors = errors_text(scores_in_gib(data, *found)),
                              .licence = naming.licence};
}

}  // namespace dryfit::training
