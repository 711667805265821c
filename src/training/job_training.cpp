// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/job_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/bytes.h"
#include "predictor/job_estimator.h"
#include "predictor/median.h"
#include "training/fitting.h"

namespace dryfit::training {
namespace {

using predictor::Ending;
using predictor::HarvestExample;
using predictor::JobVariant;
using predictor::Knowledge;

bool has_networks(const JobPlan& plan) { return plan.members != Members::trees; }
bool has_trees(const JobPlan& plan) { return plan.members != Members::networks; }

double mib_of(const HarvestExample& example) { return example.bytes / kMib; }

HarvestExamples those_that_fit(std::span<const HarvestExample> examples) {
  HarvestExamples fitting;
  std::ranges::copy_if(examples, std::back_inserter(fitting),
                       [](const HarvestExample& example) { return example.ending == Ending::fits; });
  return fitting;
}

Result<predictor::JobPhysics> fit_base(const HarvestExamples& examples, Knowledge knowledge) {
  std::vector<std::array<double, predictor::kJobTerms>> terms;
  std::vector<double> measured;
  for (const auto& example : examples) {
    terms.push_back(predictor::job_terms(example.job, knowledge));
    measured.push_back(mib_of(example));
  }
  return predictor::fit_job_physics(terms, measured);
}

/// The logarithms of measured / base, and with them the offset and the range of answers.
std::vector<double> fit_answers(JobVariant& variant, const HarvestExamples& examples) {
  std::vector<double> answers;
  for (const auto& example : examples) {
    const auto terms = predictor::job_terms(example.job, variant.knowledge);
    answers.push_back(std::log(mib_of(example) / variant.base.estimate_mib(terms)));
  }
  variant.offset = predictor::median(answers);
  for (auto& answer : answers) answer -= variant.offset;
  variant.min_correction = std::ranges::min(answers);
  variant.max_correction = std::ranges::max(answers);
  return answers;
}

void fit_scales(JobVariant& variant, const HarvestExamples& examples) {
  std::vector<std::vector<double>> features;
  std::vector<double> rows;
  std::vector<double> blocks;
  for (const auto& example : examples) {
    const auto& job = example.job;
    const auto terms = predictor::job_terms(job, variant.knowledge);
    features.push_back(predictor::job_features_of(job, variant.knowledge, terms, variant.base.estimate_mib(terms)));
    std::ranges::copy(features.back(), std::back_inserter(rows));
    std::ranges::copy(predictor::block_tokens_of({job.model.blocks, job.batch}), std::back_inserter(blocks));
  }
  variant.features = predictor::fit_scaler(rows, predictor::job_feature_count(variant.knowledge));
  if (reads_blocks(variant.knowledge)) variant.blocks = predictor::fit_scaler(blocks, predictor::kBlockFields);
  variant.reach = predictor::fit_reach(features);
}

Examples network_examples(const JobVariant& variant, const HarvestExamples& examples,
                          const std::vector<double>& answers) {
  Examples made{.answers = answers};
  for (const auto& example : examples) {
    made.inputs.push_back(predictor::encode(variant, example.job).scaled);
    made.measured.push_back(mib_of(example));
    made.groups.push_back(example.family);
  }
  return made;
}

predictor::TreeTable tree_table(const Examples& examples) {
  predictor::TreeTable table{.columns = examples.inputs.front().job.size(), .answers = examples.answers};
  for (const auto& input : examples.inputs) std::ranges::copy(input.job, std::back_inserter(table.inputs));
  return table;
}

/// Trains the members of one seed.
Status add_members(JobVariant& variant, const Examples& examples, const JobPlan& plan, std::uint64_t seed) {
  if (has_networks(plan)) {
    auto fitted = fit_network(variant.shape, examples, plan.recipe, seed);
    if (!fitted) return fitted.error();
    variant.members.push_back(std::move(fitted->weights));
  }
  if (has_trees(plan)) {
    auto trees = predictor::boost(tree_table(examples), plan.boosting, seed);
    if (!trees) return trees.error();
    variant.trees.push_back(std::move(*trees));
  }
  return {};
}

std::vector<std::uint64_t> seeds_of_fold(std::span<const std::uint64_t> seeds, std::size_t fold) {
  std::vector<std::uint64_t> made;
  for (const auto seed : seeds) made.push_back(predictor::seed_of_fold(seed, fold));
  return made;
}

HarvestExamples without_fold(std::span<const HarvestExample> examples, const JobFolds& folds, std::size_t fold) {
  HarvestExamples known;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (folds.fold_of[i] != fold) known.push_back(examples[i]);
  }
  return known;
}

/// A variant's answers for the examples of a fold, written to their places.
Status ask(const JobVariant& variant, std::span<const HarvestExample> examples, const JobFolds& folds, std::size_t fold,
           std::vector<double>& answers, OutOfFold& predictions) {
  const auto estimator = predictor::JobEstimator::of(variant);
  if (!estimator) return estimator.error();
  answers.resize(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (folds.fold_of[i] != fold) continue;
    const auto estimate = estimator->estimate(examples[i].job);
    if (!estimate) {
      return Error{"line " + std::to_string(examples[i].line) + ": " + estimate.error().what, estimate.error().hint};
    }
    answers[i] = estimate->mib;
    predictions.physics[i] = estimate->base_mib * std::exp(variant.offset);
    predictions.distance[i] = estimate->distance;
  }
  return {};
}

Status ask_members(JobVariant variant, const JobPlan& plan, std::span<const HarvestExample> examples,
                   const JobFolds& folds, std::size_t fold, OutOfFold& predictions) {
  if (auto status = ask(variant, examples, folds, fold, predictions.answer, predictions); !status) return status;
  if (has_networks(plan)) {
    auto networks = variant;
    networks.trees.clear();
    if (auto status = ask(networks, examples, folds, fold, predictions.networks, predictions); !status) return status;
  }
  if (!has_trees(plan)) return {};
  variant.members.clear();
  return ask(variant, examples, folds, fold, predictions.trees, predictions);
}

}  // namespace

Result<JobVariant> train_variant(std::span<const HarvestExample> examples, Knowledge knowledge, const JobPlan& plan,
                                 std::span<const std::uint64_t> seeds, const predictor::Report& report) {
  const auto fitting = those_that_fit(examples);
  if (fitting.empty()) return Error{"no fitting jobs to learn from", "Harvest on larger GPUs."};
  if (seeds.empty()) return Error{"no seed given", "Give at least one."};
  const auto base = fit_base(fitting, knowledge);
  if (!base) return base.error();
  JobVariant variant{.knowledge = knowledge, .base = *base};
  const auto answers = fit_answers(variant, fitting);
  fit_scales(variant, fitting);
  variant.shape =
      predictor::sequence_shape(plan.core, predictor::job_feature_count(knowledge), predictor::kBlockFields);
  const auto learned_from = network_examples(variant, fitting, answers);
  for (const auto seed : seeds) {
    if (auto status = add_members(variant, learned_from, plan, seed); !status) return status.error();
    report(std::string(predictor::to_text(knowledge)) + ", seed " + std::to_string(seed) + ": " +
           std::to_string(fitting.size()) + " jobs");
  }
  return variant;
}

Result<OutOfFold> predict_without_fold(std::span<const HarvestExample> examples, const JobFolds& folds,
                                       Knowledge knowledge, const JobPlan& plan, std::span<const std::uint64_t> seeds,
                                       const predictor::Report& report) {
  OutOfFold predictions{.knowledge = knowledge,
                        .physics = std::vector<double>(examples.size()),
                        .distance = std::vector<double>(examples.size())};
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    const auto where = "fold " + std::to_string(fold + 1) + " of " + std::to_string(folds.count);
    report(where);
    auto variant =
        train_variant(without_fold(examples, folds, fold), knowledge, plan, seeds_of_fold(seeds, fold), report);
    if (!variant) return Error{where + ": " + variant.error().what, variant.error().hint};
    if (auto status = ask_members(std::move(*variant), plan, examples, folds, fold, predictions); !status) {
      return Error{where + ": " + status.error().what, status.error().hint};
    }
  }
  return predictions;
}

predictor::Calibration calibrate_variant(std::span<const HarvestExample> examples, const JobFolds& folds,
                                         const OutOfFold& predictions) {
  std::vector<double> residuals;
  std::vector<std::size_t> fold_of;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].ending != Ending::fits) continue;
    residuals.push_back(std::log(mib_of(examples[i]) / predictions.answer[i]));
    fold_of.push_back(folds.fold_of[i]);
  }
  auto calibration = predictor::calibrate(residuals, fold_of);
  calibration.folds.resize(folds.count);
  return calibration;
}

std::string_view to_text(Members members) {
  switch (members) {
    case Members::networks:
      return "networks";
    case Members::trees:
      return "trees";
    case Members::both:
      return "both";
  }
  return "";
}

}  // namespace dryfit::training
