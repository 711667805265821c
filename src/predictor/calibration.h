// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// The errors of out-of-fold predictions, r = log(measured / predicted).
struct Calibration {
  std::vector<std::vector<double>> folds;  ///< each fold's r, ascending

  /// The largest over the folds of the k-th smallest r of the fold, k = ceil(coverage * (n + 1)), n jobs in the fold.
  /// The n + 1 instead of n is split conformal's correction for a finite sample: a new job of a fold is as likely to
  /// fall into any of the n + 1 gaps between its r. An Error unless 0 < coverage < 1, or when it is larger than
  /// most_coverage().
  Result<double> margin(double coverage) const;

  /// The largest coverage for which k is at most n: n / (n + 1) of the smallest fold; 0 without any calibration.
  double most_coverage() const;
};

/// Note [Upper bounds]
/// Every training job was also predicted by a model that had not seen its fold, and a fold consists of whole families
/// (Note [Families]). The errors of these predictions are what we expect for the jobs of a new architecture. For a
/// coverage c a bound is the prediction times e^m, where m is the smallest number with which
///
///   of all jobs together, no more than 1 - c exceed their bound, and
///   of no fold more than kWorstFold * (1 - c)
///
/// by the ranks of Calibration::margin. We need the second condition because with the first alone the jobs of the worst
/// fold were covered up to five points less than requested, and the next job is of one architecture, not the mean of
/// all. Requiring c of every fold would mean taking the largest of a few noisy quantiles: a bound of 95 % then covered
/// 97 %.
class Margins {
 public:
  static constexpr double kWorstFold = 1.4;

  explicit Margins(Calibration calibration);

  /// m(c). An Error unless 0 < c < 1, or if there are too few jobs for it; it says which coverage is possible.
  Result<double> at(double coverage) const;

 private:
  Calibration folds_;
  Calibration together_;  ///< all as one fold
};

/// `fold_of` is the fold of each residual, from 0.
Calibration calibrate(std::span<const double> residuals, std::span<const std::size_t> fold_of);

}  // namespace dryfit::predictor
