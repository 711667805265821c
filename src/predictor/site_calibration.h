// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace dryfit::predictor {

/// Jobs whose bounds are corrected together.
struct SiteGroup {
  std::string card;    ///< "rtx-4090-24gb"
  std::string family;  ///< of models: "resnet"

  friend auto operator<=>(const SiteGroup&, const SiteGroup&) = default;
};

/// What was predicted of a job, and what it really took, of the same kind of memory.
struct SitePair {
  SiteGroup group;
  double median = 0;
  double upper = 0;
  double coverage = 0;    ///< of `upper`
  double actual = 0;      ///< in the unit of the median
  bool at_least = false;  ///< it ran out of memory: it would have taken `actual` or more
};

/// An Error that says what is wrong with it: sizes are above zero, the bound is not below the median, its coverage is
/// above one half and below 1.
Status check(const SitePair& pair);

/// A pair as the correction needs it. `ratio` is ln(actual / median). `scale` is ln(upper / median) in units of the
/// normal quantile of its coverage, so that a bound of another coverage can be said; with one coverage for all pairs
/// the normal distribution does not matter.
struct SiteEvidence {
  double ratio = 0;
  double scale = 0;
  bool at_least = false;

  friend bool operator==(const SiteEvidence&, const SiteEvidence&) = default;
};

/// Corrects the bounds of a model by what a site saw.
///
/// Note [Site calibration]. The score of a record is ln(actual / bound): by how much the bound, at the coverage asked
/// for, was too low. The correction of n records is their conformal quantile (conformalised quantile regression, Romano
/// et al. 2019): the k-th smallest score, k = ⌈(n + 1) · coverage⌉, is added to ln(bound), so that a bound which the
/// model widened for one job stays wider than others. A record that ran out of memory is at least so large: its weight
/// goes to the larger ones (the estimator of Kaplan and Meier). Where k is above n, the records are too few to say
/// where the bound lies; they may raise it to the largest score and not lower it.
///
/// Few records weigh little. The correction c of all records of the site is w · q, q their quantile and
/// w = n / (n + m), where m = coverage / (1 − coverage) is the fewest records of which the rule can speak (19 of 95 %).
/// That of a card is w · q + (1 − w) · max(c, 0), and that of a group (card and family) stands to that of its card
/// likewise: what was seen elsewhere may raise a bound and not lower it, so a group without records gets no bound below
/// the shipped one. The guarantee of the conformal rule holds in the limit of many records.
struct SiteCalibration {
  std::map<SiteGroup, std::vector<SiteEvidence>> groups;

  /// By how much ln(bound) is to be raised. Takes a time in proportion to the records: who asks often keeps it.
  /// `coverage` is above 0 and below 1; of one half or less nothing is corrected.
  double shift(double coverage, const SiteGroup& group) const;

  /// The bound with its correction, never below the median.
  double apply(double median, double upper, double coverage, const SiteGroup& group) const;

  std::size_t size() const;

  friend bool operator==(const SiteCalibration&, const SiteCalibration&) = default;
};

/// Of pairs that passed check(). The order of the pairs does not matter.
SiteCalibration calibrate(std::span<const SitePair> pairs);

/// The same as SiteCalibration::apply() with a shift that the caller kept.
double corrected_bound(double median, double upper, double shift);

}  // namespace dryfit::predictor
