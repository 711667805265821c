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

/// How far predictions of the examples that fit are off, relative to what was measured.
struct PointScores {
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
  double within_tenth = 0;  ///< the share that is off by no more than a tenth
};

PointScores score_points(std::span<const predictor::HarvestExample> examples, std::span<const double> predicted_mib);

/// How good upper bounds are on the examples that fit.
struct BoundScores {
  double coverage = 0;             ///< the share that lies at or below its bound
  double worst_fold = 0;           ///< the same of the fold where it is least
  double over_allocation = 0;      ///< the mean of bound / measured - 1
  double unfamiliar = 0;           ///< the share whose bound was widened
  double unfamiliar_coverage = 0;  ///< of these, the share that lies at or below its bound; 1 without any
};

/// Bounds of all examples, in MiB, each from predictions without its fold and calibrated without it too. An Error when
/// the other folds are too small for the coverage.
Result<std::vector<double>> bound_without_fold(std::span<const predictor::HarvestExample> examples,
                                               const JobFolds& folds, const OutOfFold& predictions, double coverage);

BoundScores score_bounds(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                         const OutOfFold& predictions, std::span<const double> bounds_mib);

/// What comes of saying that a job fits when the given number is within its card's room. All examples count, those that
/// did not fit too.
struct FitScores {
  std::size_t jobs = 0;
  std::size_t false_fits = 0;      ///< said to fit, and does not
  std::size_t false_refusals = 0;  ///< said not to fit, and does
};

FitScores score_fits(std::span<const predictor::HarvestExample> examples, std::span<const double> mib);

/// All of that in a line or two per variant, for a person and for a model's card.
std::string describe_scores(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                            const OutOfFold& predictions, double coverage);

/// The same of a kept model's answers and bounds, of examples that it has not learned from; without members.
std::string describe_answers(std::span<const predictor::HarvestExample> examples, const OutOfFold& answers,
                             std::span<const double> bounds_mib, double coverage);

/// A row per example: line, family, fold, ending, measured, and what each variant said without the fold.
std::string out_of_fold_table(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                              std::span<const OutOfFold> variants, double coverage);

}  // namespace dryfit::training
