// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace dryfit::predictor {

/// Note [Distance]
/// How far a job lies from those learned from. Of each measure of job_features_of() the range of the jobs learned from
/// is known; a job's distance is the largest over the measures of
///
///   |value - middle of the range| / half of the range's width
///
/// so it is at most 1 for every job learned from, and 1 for some. Half a width below kLeastHalfWidth counts as that: a
/// factor of up to sqrt(2) in something that never varied is no other world. A flag that none of the jobs had (an
/// optimizer that was never harvested) is kUnknownFlag away, one that varied is no distance. Blocks are not looked at:
/// that a model's blocks are new is what the upper bound is calibrated for (Note [Upper bounds]).
///
/// Beyond 1 a bound is raised: the margin m becomes
///
///   m + min(distance - 1, kMostWidths) * max(m, kLeastWidening)
///
/// In words: for every further half width of what was learned, the margin once more. Jobs that lay beyond 1 when their
/// family was held out were missed by no more than others (docs/surrogate.md), so it is caution rather than
/// measurement. Beyond kMostWidths a number says no more than that the job should be run dry.
///
/// A model that was scaled from a known size (Note [Scaling]) raises it further: a factor e of what is per sample
/// counts as a half width beyond what was learned. That adds to the distance of the job itself, which the scaled
/// numbers tell as those of any other.
struct Reach {
  static constexpr double kLeastHalfWidth = 0.35;  ///< about log(2) / 2
  static constexpr double kUnknownFlag = 2;
  static constexpr double kLeastWidening = 0.1;
  static constexpr double kMostWidths = 4;

  std::vector<double> low;  ///< kJobMeasures and then kJobFlags
  std::vector<double> high;

  /// Of a job's features; those behind the flags are not looked at.
  double distance(std::span<const double> features) const;
};

/// What is added to the margin of a job that far away.
double widening(double distance, double margin);

/// What is added to that for a model whose numbers per sample were multiplied by `factor`.
double scaling_widening(double factor, double margin);

/// From the features of jobs, of which there is at least one.
Reach fit_reach(std::span<const std::vector<double>> features);

}  // namespace dryfit::predictor
