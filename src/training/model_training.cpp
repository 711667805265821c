// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/model_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "predictor/median.h"
#include "predictor/physics_base.h"
#include "training/fitting.h"

namespace dryfit::training {
namespace {

using predictor::Job;
using predictor::MemoryModel;

/// Of a model that lives as long as its fold is predicted.
const predictor::ModelCard kPassingCard{"of one fold", "all other folds", "none", "none", "not measured", "not kept"};

predictor::NetworkShape shape_of(const ModelPlan& plan) {
  const auto features = predictor::feature_count(plan.features);
  return plan.reads_blocks ? predictor::sequence_shape(plan.core, features, predictor::kBlockFields)
                           : predictor::flat_shape(plan.core, features, kBins);
}

/// All but the networks and the card.
Result<MemoryModel> fit_surroundings(const Jobs& jobs, const ModelPlan& plan) {
  if (jobs.empty()) return Error{"there are no jobs to learn from", ""};
  std::vector<Job> described;
  std::vector<double> measured;
  for (const auto& job : jobs) {
    described.push_back(job.job);
    measured.push_back(job.measured_mib);
  }
  const auto base = predictor::fit_physics(described, measured);
  if (!base) return base.error();
  std::vector<double> ratios;
  for (const auto& job : jobs) ratios.push_back(std::log(job.measured_mib / base->estimate_mib(job.job)));
  return MemoryModel{.encoding = predictor::fit_encoding(described, plan.features, plan.reads_blocks ? 0 : kBins),
                     .base = *base,
                     .offset = predictor::median(std::move(ratios)),
                     .shape = shape_of(plan)};
}

Examples examples_of(const MemoryModel& model, const Jobs& jobs) {
  Examples examples;
  for (const auto& job : jobs) {
    examples.inputs.push_back(predictor::encode(model.encoding, job.job));
    examples.answers.push_back(std::log(job.measured_mib / model.base.estimate_mib(job.job)) - model.offset);
    examples.measured.push_back(job.measured_mib);
    examples.groups.push_back(job.module);
  }
  return examples;
}

Result<std::vector<double>> peaks_of(const MemoryModel& model, const Jobs& jobs) {
  const auto predictor = predictor::MemoryPredictor::of(model);
  if (!predictor) return predictor.error();
  std::vector<double> peaks;
  for (const auto& job : jobs) {
    const auto peak = predictor->peak_mib(job.job);
    if (!peak) return Error{job.model + ": " + peak.error().what, peak.error().hint};
    peaks.push_back(*peak);
  }
  return peaks;
}

}  // namespace

Result<MemoryModel> train_model(const Jobs& jobs, const ModelPlan& plan, std::span<const std::uint64_t> seeds,
                                const predictor::ModelCard& card, const Report& report) {
  auto model = fit_surroundings(jobs, plan);
  if (!model) return model.error();
  model->card = card;
  const auto examples = examples_of(*model, jobs);
  for (const auto seed : seeds) {
    auto fitted = fit_network(model->shape, examples, plan.recipe, seed);
    if (!fitted) return fitted.error();
    report("seed " + std::to_string(seed) + ": " + std::to_string(jobs.size()) + " jobs, " +
           std::to_string(fitted->epochs) + " epochs, loss " + std::to_string(fitted->loss));
    model->members.push_back(std::move(fitted->weights));
  }
  return model;
}

Learner learner_of(const ModelPlan& plan, const Report& report) {
  return [plan, report](const Jobs& known, const Jobs& asked, std::uint64_t seed) -> Result<std::vector<double>> {
    const auto model = train_model(known, plan, std::array{seed}, kPassingCard, report);
    if (!model) return model.error();
    return peaks_of(*model, asked);
  };
}

}  // namespace dryfit::training
