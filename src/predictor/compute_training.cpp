// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_training.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "predictor/compute_features.h"
#include "predictor/median.h"

namespace dryfit::predictor {
namespace {

Step step_of(const ComputeExample& example) {
  return {.job = example.job, .rates = example.rates, .optimizer_share = example.optimizer_share};
}

std::vector<ComputeExample> described_among(ComputeExamples examples, auto&& is_wanted) {
  std::vector<ComputeExample> wanted;
  for (const auto& example : examples) {
    if (example.described && is_wanted(example)) wanted.push_back(example);
  }
  return wanted;
}

/// log(measured / roofline) over step_features().
TreeTable table_of(ComputeExamples examples, ComputeKnowledge knowledge, std::span<const StepTerms> terms,
                   const StepPhysics& base) {
  TreeTable table{.columns = step_feature_count(knowledge), .inputs = {}, .answers = {}};
  for (std::size_t i = 0; i < examples.size(); ++i) {
    std::ranges::copy(step_features(step_of(examples[i]), knowledge, terms[i]), std::back_inserter(table.inputs));
    table.answers.push_back(std::log(examples[i].seconds / base.seconds(terms[i])));
  }
  return table;
}

double missed(const ComputeExample& example, double seconds) { return std::log(example.seconds / seconds); }

std::size_t folds_of(ComputeExamples examples) {
  return examples.empty() ? 0 : std::ranges::max(examples, {}, &ComputeExample::fold).fold + 1;
}

ComputePlan with_seeds_of_fold(ComputePlan plan, std::size_t fold) {
  for (auto& seed : plan.seeds) seed = seed_of_fold(seed, fold);
  return plan;
}

/// The same variant with one of its sets of trees.
ComputeVariant with_trees(const ComputeVariant& variant, std::size_t set) {
  auto one = variant;
  one.trees = {variant.trees[set]};
  return one;
}

/// Groups that were measured on more than one chip.
std::set<std::string> shared_groups(ComputeExamples examples) {
  std::map<std::string, std::set<double>> chips;
  for (const auto& example : examples) chips[example.group].insert(example.job.compute_capability);
  std::set<std::string> shared;
  for (const auto& [group, on] : chips) {
    if (on.size() > 1) shared.insert(group);
  }
  return shared;
}

/// Residuals of all folds but one, fold by fold, so that none is empty.
Calibration without_fold(ComputeExamples examples, const StepsOutOfFold& predictions, std::size_t fold, double sign) {
  std::map<std::size_t, std::vector<double>> by_fold;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].fold == fold || !examples[i].described) continue;
    by_fold[examples[i].fold].push_back(sign * missed(examples[i], predictions.seconds[i]));
  }
  Calibration calibration;
  for (auto& [number, residuals] : by_fold) {
    std::ranges::sort(residuals);
    calibration.folds.push_back(std::move(residuals));
  }
  return calibration;
}

}  // namespace

Result<ComputeVariant> train_compute_variant(ComputeExamples all, ComputeKnowledge knowledge, const ComputePlan& plan) {
  const auto examples = described_among(all, [](const ComputeExample&) { return true; });
  if (examples.empty()) return Error{"no measured steps to learn from", "Give at least one table with measured steps."};
  std::vector<StepTerms> terms;
  std::vector<double> seconds;
  std::vector<std::array<double, kStepMeasures + kStepFlags>> measures;
  for (const auto& example : examples) {
    if (!std::isfinite(example.seconds) || example.seconds <= 0) {
      return Error{"row " + std::to_string(example.row) + ": the time of a step is not above zero",
                   "Correct the row or leave it out."};
    }
    terms.push_back(step_terms(step_of(example), knowledge));
    seconds.push_back(example.seconds);
    measures.push_back(step_measures(step_of(example), terms.back()));
  }
  const auto base = fit_step_physics(terms, seconds);
  if (!base) return base.error();
  const auto table = table_of(examples, knowledge, terms, *base);
  const auto [least, most] = std::ranges::minmax(table.answers);
  ComputeVariant variant{.knowledge = knowledge, .base = *base, .min_correction = least, .max_correction = most};
  for (const auto seed : plan.seeds) {
    auto trees = boost(table, plan.boosting, seed);
    if (!trees) return trees.error();
    variant.trees.push_back(std::move(*trees));
  }
  variant.reach = fit_step_reach(measures);
  return variant;
}

Result<StepsOutOfFold> predict_steps_without_fold(ComputeExamples examples, ComputeKnowledge knowledge,
                                                  const ComputePlan& plan, const Report& report) {
  StepsOutOfFold predicted{knowledge,
                           std::vector<double>(examples.size()),
                           std::vector<double>(examples.size()),
                           {plan.seeds.size(), std::vector<double>(examples.size())}};
  const auto count = folds_of(examples);
  for (std::size_t fold = 0; fold < count; ++fold) {
    report(std::string(to_text(knowledge)) + ", fold " + std::to_string(fold + 1) + " of " + std::to_string(count));
    const auto others = described_among(examples, [&](const ComputeExample& each) { return each.fold != fold; });
    const auto variant = train_compute_variant(others, knowledge, with_seeds_of_fold(plan, fold));
    if (!variant) return variant.error();
    for (std::size_t set = 0; set < variant->trees.size(); ++set) {
      const auto alone = with_trees(*variant, set);
      for (std::size_t i = 0; i < examples.size(); ++i) {
        if (examples[i].fold == fold) predicted.seeds[set][i] = estimate_step(alone, step_of(examples[i])).seconds;
      }
    }
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (examples[i].fold != fold) continue;
      const auto estimate = estimate_step(*variant, step_of(examples[i]));
      predicted.base[i] = estimate.base_seconds;
      predicted.seconds[i] = estimate.seconds;
    }
  }
  return predicted;
}

void calibrate_variant(ComputeVariant& variant, ComputeExamples examples, const StepsOutOfFold& predictions) {
  const auto nothing_left_out = folds_of(examples);
  variant.above = without_fold(examples, predictions, nothing_left_out, 1);
  variant.below = without_fold(examples, predictions, nothing_left_out, -1);
}

Result<std::vector<GpuShift>> shifts_of_unseen_gpus(ComputeExamples examples, ComputeKnowledge knowledge,
                                                    const ComputePlan& plan, const Report& report) {
  const auto shared = shared_groups(examples);
  std::set<double> chips;
  for (const auto& example : examples) {
    if (shared.contains(example.group)) chips.insert(example.job.compute_capability);
  }
  std::vector<GpuShift> shifts;
  for (const double chip : chips) {
    report(std::string(to_text(knowledge)) + ", without a chip");
    const auto is_on_chip = [&](const ComputeExample& each) { return each.job.compute_capability == chip; };
    const auto variant = train_compute_variant(
        described_among(examples, [&](const auto& each) { return !is_on_chip(each); }), knowledge, plan);
    if (!variant) return variant.error();
    std::vector<double> misses, errors;
    for (const auto& example : examples) {
      if (!is_on_chip(example) || !shared.contains(example.group)) continue;
      const double seconds = estimate_step(*variant, step_of(example)).seconds;
      misses.push_back(missed(example, seconds));
      errors.push_back(std::abs(seconds / example.seconds - 1));
    }
    shifts.push_back({chip, misses.size(), median(misses), median(errors)});
  }
  return shifts;
}

Result<IntervalScores> score_intervals(ComputeExamples examples, const StepsOutOfFold& predictions, double coverage) {
  IntervalScores scores{.worst_fold = 1};
  double within_all = 0;
  for (std::size_t fold = 0; fold < folds_of(examples); ++fold) {
    const auto above = without_fold(examples, predictions, fold, 1).margin((1 + coverage) / 2);
    if (!above) return above.error();
    const auto below = without_fold(examples, predictions, fold, -1).margin((1 + coverage) / 2);
    if (!below) return below.error();
    double within = 0, count = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (examples[i].fold != fold) continue;
      const double miss = missed(examples[i], predictions.seconds[i]);
      within += -*below <= miss && miss <= *above ? 1 : 0;
      count += 1;
      scores.factor += std::exp((*above + *below) / 2) / static_cast<double>(examples.size());
    }
    within_all += within;
    scores.worst_fold = count > 0 ? std::min(scores.worst_fold, within / count) : scores.worst_fold;
  }
  scores.coverage = within_all / static_cast<double>(examples.size());
  return scores;
}

}  // namespace dryfit::predictor
