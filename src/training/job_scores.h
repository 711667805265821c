// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/job_training.h"

namespace dryfit::training {

/// The errors of predictions for the examples that fit, relative to the measured values.
struct PointScores {
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
  double within_tenth = 0;  ///< the share with an error of at most 10 %
};

PointScores score_points(std::span<const predictor::HarvestExample> examples, std::span<const double> predicted_mib);

/// How good upper bounds are for the examples that fit.
struct BoundScores {
  double coverage = 0;             ///< the share at or below its bound
  double worst_fold = 0;           ///< the same for the fold with the lowest share
  double over_allocation = 0;      ///< the mean of bound / measured - 1
  double unfamiliar = 0;           ///< the share with a widened bound
  double unfamiliar_coverage = 0;  ///< among these, the share at or below its bound; 1 without any
};

/// Bounds of all examples, in MiB, each predicted and calibrated without its fold. An Error if the other folds are too
/// small for the coverage.
Result<std::vector<double>> bound_without_fold(std::span<const predictor::HarvestExample> examples,
                                               const JobFolds& folds, const OutOfFold& predictions, double coverage);

BoundScores score_bounds(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                         const OutOfFold& predictions, std::span<const double> bounds_mib);

/// The result of predicting that a job fits if the given number is within its card's room. All examples count,
/// including those that did not fit.
struct FitScores {
  std::size_t jobs = 0;
  std::size_t false_fits = 0;      ///< predicted to fit, but does not
  std::size_t false_refusals = 0;  ///< predicted not to fit, but does
};

FitScores score_fits(std::span<const predictor::HarvestExample> examples, std::span<const double> mib);

/// All of these scores in a line or two per variant, for people and for a model's description.
std::string describe_scores(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                            const OutOfFold& predictions, double coverage);

/// The same for a kept model's answers and bounds on examples that it was not trained on; without members.
std::string describe_answers(std::span<const predictor::HarvestExample> examples, const OutOfFold& answers,
                             std::span<const double> bounds_mib, double coverage);

/// A row per example: line, family, fold, ending, measured, and what each variant predicted without the fold.
std::string out_of_fold_table(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                              std::span<const OutOfFold> variants, double coverage);

}  // namespace dryfit::training
