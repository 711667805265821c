// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace dryfit::predictor {

/// Note [Distance]
/// How far a job is from the training jobs. For each measure in job_features_of() we know the range of the training
/// jobs; a job's distance is the maximum over the measures of
///
///   |value - middle of the range| / half of the range's width
///
/// so it is at most 1 for every training job, and exactly 1 for some. A half width below kLeastHalfWidth counts as
/// kLeastHalfWidth: a factor of up to sqrt(2) in something that never varied is not far. A flag that no training job
/// had (an optimizer that was never harvested) has the distance kUnknownFlag, one that varied has none. Blocks are
/// ignored: the upper bound is calibrated for models with new blocks (Note [Upper bounds]).
///
/// Beyond 1 a bound is raised: the margin m becomes
///
///   m + min(distance - 1, kMostWidths) * max(m, kLeastWidening)
///
/// In words: the margin once more for every half width beyond the training range. Jobs beyond 1 when their family was
/// held out had no larger errors than others (docs/surrogate.md), so this is caution rather than measurement. Beyond
/// kMostWidths, the number only means that the job should be dry-run.
///
/// A model that was scaled from a known size (Note [Scaling]) raises it further: a factor of e in what is per sample
/// counts as a half width beyond the training range. That adds to the distance of the job itself, which is computed
/// from the scaled numbers.
struct Reach {
  static constexpr double kLeastHalfWidth = 0.35;  ///< about log(2) / 2
  static constexpr double kUnknownFlag = 2;
  static constexpr double kLeastWidening = 0.1;
  static constexpr double kMostWidths = 4;

  std::vector<double> low;  ///< kJobMeasures and then kJobFlags
  std::vector<double> high;

  /// The distance of a job with these features; those behind the flags are ignored.
  double distance(std::span<const double> features) const;
};

/// What is added to the margin of a job at that distance.
double widening(double distance, double margin);

/// What is added on top for a model with numbers per sample that were multiplied by `factor`.
double scaling_widening(double factor, double margin);

/// Fitted on the features of at least one job.
Reach fit_reach(std::span<const std::vector<double>> features);

}  // namespace dryfit::predictor
