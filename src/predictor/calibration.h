// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// Note [Upper bounds]
/// Every job learned from was also predicted by a model that had not seen its fold, and a fold is made of whole
/// families (Note [Families]). What such a prediction missed, r = log(measured / predicted), is what a new
/// architecture's jobs are expected to be missed by. For a coverage c a bound is the prediction times e^m, where
///
///   m(c) = the largest over the folds of the k-th smallest r of the fold,   k = ceil(c * (n + 1))
///
/// and n is the number of jobs in the fold. The n + 1 instead of n is split conformal's correction for a finite
/// sample: a new job of a fold is as likely to fall into any of the n + 1 gaps between its r. The largest over the
/// folds instead of one quantile of all: pooled, the jobs of the worst fold were covered up to five points less than
/// asked for, and what is asked about next is one architecture, not the mean of all.
///
/// Where k would be above n, nobody can say: the largest coverage is that of the smallest fold, n / (n + 1).
struct Calibration {
  std::vector<std::vector<double>> folds;  ///< each fold's r, ascending

  /// m(c). An Error unless 0 < c < 1, or when it is larger than most_coverage().
  Result<double> margin(double coverage) const;

  /// 0 when nothing was calibrated.
  double most_coverage() const;

  /// The largest r of all; 0 without any.
  double worst() const;
};

/// `fold_of` has a number from 0 per residual.
Calibration calibrate(std::span<const double> residuals, std::span<const std::size_t> fold_of);

}  // namespace dryfit::predictor
