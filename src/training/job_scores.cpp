// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/job_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "base/bytes.h"
#include "base/check.h"
#include "predictor/median.h"
#include "predictor/reach.h"

namespace dryfit::training {
namespace {

using predictor::Ending;
using predictor::HarvestExample;

double mib_of(const HarvestExample& example) { return example.bytes / kMib; }

double share_of(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

predictor::Calibration without(const predictor::Calibration& all, std::size_t fold) {
  auto others = all;
  others.folds.erase(others.folds.begin() + static_cast<std::ptrdiff_t>(fold));
  return others;
}

std::string point_text(const char* who, const PointScores& scores) {
  return formatted("%s %.1f %% (mean %.1f %%)", who, 100 * scores.median_error, 100 * scores.mean_error);
}

std::string member_text(std::span<const HarvestExample> examples, const OutOfFold& predictions) {
  std::string text = point_text("physics alone", score_points(examples, predictions.physics));
  if (!predictions.networks.empty()) {
    text += ", " + point_text("networks", score_points(examples, predictions.networks));
  }
  if (!predictions.trees.empty()) text += ", " + point_text("trees", score_points(examples, predictions.trees));
  return text;
}

std::string coverage_text(const BoundScores& scores) {
  return formatted("covers %.1f %% (worst fold %.1f %%) and overestimates by %.1f %% on average", 100 * scores.coverage,
                   100 * scores.worst_fold, 100 * scores.over_allocation);
}

std::string bound_text(std::span<const HarvestExample> examples, const JobFolds& folds, const OutOfFold& predictions,
                       std::span<const double> bounds, double coverage) {
  const auto scores = score_bounds(examples, folds, predictions, bounds);
  const auto fits = score_fits(examples, bounds);
  return formatted("the bound of %.3g %% ", 100 * coverage) + coverage_text(scores) +
         formatted("; unfamiliar %.1f %%, of which it covers %.1f %%; of %zu jobs %zu false fits, %zu false refusals",
                   100 * scores.unfamiliar, 100 * scores.unfamiliar_coverage, fits.jobs, fits.false_fits,
                   fits.false_refusals);
}

std::string bound_text(std::span<const HarvestExample> examples, const JobFolds& folds, const OutOfFold& predictions,
                       double coverage) {
  const auto bounds = bound_without_fold(examples, folds, predictions, coverage);
  if (!bounds) return bounds.error().what + "; " + bounds.error().hint;
  return bound_text(examples, folds, predictions, *bounds, coverage);
}

std::string answer_text(std::span<const HarvestExample> examples, const OutOfFold& predictions) {
  const auto scores = score_points(examples, predictions.answer);
  return point_text("median error", scores) +
         formatted(" of %zu jobs, %.1f %% within 10 %%; ", scores.jobs, 100 * scores.within_tenth);
}

std::string_view to_text(Ending ending) {
  switch (ending) {
    case Ending::fits:
      return "fits";
    case Ending::squeezed:
      return "squeezed";
    case Ending::does_not_fit:
      return "does-not-fit";
  }
  return "";
}

/// A variant's columns of the table; those it does not have are left out.
struct Column {
  std::string name;
  std::span<const double> values;
};

std::vector<Column> columns_of(const OutOfFold& variant, const std::vector<double>& bounds) {
  std::vector<Column> columns;
  const auto add = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) columns.push_back({std::string(to_text(variant.knowledge)) + " " + name, values});
  };
  add("physics", variant.physics);
  add("networks", variant.networks);
  add("trees", variant.trees);
  add("answer", variant.answer);
  add("bound", bounds);
  add("distance", variant.distance);
  return columns;
}

}  // namespace

PointScores score_points(std::span<const HarvestExample> examples, std::span<const double> predicted_mib) {
  DRYFIT_CHECK(examples.size() == predicted_mib.size());
  std::vector<double> errors;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].ending == Ending::fits) errors.push_back(std::abs(predicted_mib[i] / mib_of(examples[i]) - 1));
  }
  if (errors.empty()) return {};
  double sum = 0;
  for (const double error : errors) sum += error;
  const auto near = std::ranges::count_if(errors, [](double error) { return error <= 0.1; });
  return {.jobs = errors.size(),
          .median_error = predictor::median(errors),
          .mean_error = sum / static_cast<double>(errors.size()),
          .within_tenth = share_of(static_cast<std::size_t>(near), errors.size())};
}

Result<std::vector<double>> bound_without_fold(std::span<const HarvestExample> examples, const JobFolds& folds,
                                               const OutOfFold& predictions, double coverage) {
  const auto all = calibrate_variant(examples, folds, predictions);
  std::vector<double> bounds(examples.size());
  for (std::size_t fold = 0; fold < all.folds.size(); ++fold) {
    const auto margin = predictor::Margins(without(all, fold)).at(coverage);
    if (!margin) return margin.error();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (folds.fold_of[i] != fold) continue;
      const double raised = *margin + predictor::widening(predictions.distance[i], *margin);
      bounds[i] = predictions.answer[i] * std::exp(raised);
    }
  }
  return bounds;
}

BoundScores score_bounds(std::span<const HarvestExample> examples, const JobFolds& folds, const OutOfFold& predictions,
                         std::span<const double> bounds_mib) {
  std::vector<std::size_t> jobs(folds.count);
  std::vector<std::size_t> covered(folds.count);
  std::size_t unfamiliar = 0;
  std::size_t unfamiliar_covered = 0;
  double over = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].ending != Ending::fits) continue;
    const auto fold = folds.fold_of[i];
    ++jobs[fold];
    const bool is_covered = mib_of(examples[i]) <= bounds_mib[i];
    const bool is_unfamiliar = predictions.distance[i] > 1;
    covered[fold] += is_covered ? 1 : 0;
    unfamiliar += is_unfamiliar ? 1 : 0;
    unfamiliar_covered += is_covered && is_unfamiliar ? 1 : 0;
    over += bounds_mib[i] / mib_of(examples[i]) - 1;
  }
  std::size_t all = 0;
  std::size_t all_covered = 0;
  double worst = 1;
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    all += jobs[fold];
    all_covered += covered[fold];
    if (jobs[fold] > 0) worst = std::min(worst, share_of(covered[fold], jobs[fold]));
  }
  return {.coverage = share_of(all_covered, all),
          .worst_fold = worst,
          .over_allocation = all == 0 ? 0 : over / static_cast<double>(all),
          .unfamiliar = share_of(unfamiliar, all),
          .unfamiliar_coverage = unfamiliar == 0 ? 1 : share_of(unfamiliar_covered, unfamiliar)};
}

FitScores score_fits(std::span<const HarvestExample> examples, std::span<const double> mib) {
  FitScores scores{.jobs = examples.size()};
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const bool predicted_fit = mib[i] * kMib <= examples[i].room_bytes;
    const bool true_fit = examples[i].ending != Ending::does_not_fit;
    scores.false_fits += predicted_fit && !true_fit ? 1 : 0;
    scores.false_refusals += !predicted_fit && true_fit ? 1 : 0;
  }
  return scores;
}

std::string describe_scores(std::span<const HarvestExample> examples, const JobFolds& folds,
                            const OutOfFold& predictions, double coverage) {
  return std::string(to_text(predictions.knowledge)) + ": " + answer_text(examples, predictions) +
         bound_text(examples, folds, predictions, coverage) + "; by member: " + member_text(examples, predictions);
}

std::string describe_answers(std::span<const HarvestExample> examples, const OutOfFold& answers,
                             std::span<const double> bounds_mib, double coverage) {
  const JobFolds one{std::vector<std::size_t>(examples.size()), 1};
  return answer_text(examples, answers) + bound_text(examples, one, answers, bounds_mib, coverage);
}

std::string out_of_fold_table(std::span<const HarvestExample> examples, const JobFolds& folds,
                              std::span<const OutOfFold> variants, double coverage) {
  std::vector<std::vector<double>> bounds;
  std::vector<Column> columns;
  bounds.reserve(variants.size());
  for (const auto& variant : variants) {
    auto bound = bound_without_fold(examples, folds, variant, coverage);
    bounds.push_back(bound ? std::move(*bound) : std::vector<double>{});
    std::ranges::copy(columns_of(variant, bounds.back()), std::back_inserter(columns));
  }
  std::string text = "line,family,fold,ending,room,measured";
  for (const auto& column : columns) text += "," + column.name;
  text += "\n";
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto& example = examples[i];
    text += std::to_string(example.line) + "," + example.family + "," + std::to_string(folds.fold_of[i]) + "," +
            std::string(to_text(example.ending)) + formatted(",%.6g,%.6g", example.room_bytes / kMib, mib_of(example));
    for (const auto& column : columns) text += formatted(",%.6g", column.values[i]);
    text += "\n";
  }
  return text;
}

}  // namespace dryfit::training
