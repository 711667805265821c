// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/model_training.h"

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

predictor::NetworkShape shape_of(const ModelPlan& plan) {
  const auto features = predictor::feature_count(plan.features);
  return plan.reads_blocks ? predictor::sequence_shape(plan.core, features, predictor::kBlockFields)
                           : predictor::flat_shape(plan.core, features, kBins);
}

/// Everything but the networks and the description.
Result<MemoryModel> fit_surroundings(const Jobs& jobs, const ModelPlan& plan) {
  if (jobs.empty()) return Error{"no jobs to learn from", ""};
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

}  // namespace dryfit::training
