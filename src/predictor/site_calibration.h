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

/// Jobs with bounds that are corrected together.
struct SiteGroup {
  std::string card;    ///< "rtx-4090-24gb"
  std::string family;  ///< of models: "resnet"

  friend auto operator<=>(const SiteGroup&, const SiteGroup&) = default;
};

/// What was predicted for a job, and what it really took, for the same kind of memory.
struct SitePair {
  SiteGroup group;
  double median = 0;
  double upper = 0;
  double coverage = 0;    ///< of `upper`
  double actual = 0;      ///< in the unit of the median
  bool at_least = false;  ///< it ran out of memory: it would have taken `actual` or more
};

/// An Error says what is wrong with it: sizes must be above zero, the bound not below the median, and its coverage
/// above one half and below 1.
Status check(const SitePair& pair);

/// A pair as the correction needs it. `ratio` is ln(actual / median). `scale` is ln(upper / median) in units of the
/// normal quantile of its coverage, so that it can be converted to a bound of another coverage; if all pairs have the
/// same coverage, the normal distribution does not matter.
struct SiteEvidence {
  double ratio = 0;
  double scale = 0;
  bool at_least = false;

  friend bool operator==(const SiteEvidence&, const SiteEvidence&) = default;
};

/// Corrects the bounds of a model by what a site observed.
///
/// Note [Site calibration]. The score of a record is ln(actual / bound): by how much the bound, at the requested
/// coverage, was too low. The correction by n records is their conformal quantile (conformalised quantile regression,
/// Romano et al. 2019): the k-th smallest score, k = ⌈(n + 1) · coverage⌉, is added to ln(bound), so that a bound which
/// the model widened for one job stays wider than others. The score of a record that ran out of memory is a lower
/// limit: its weight goes to the larger scores (the Kaplan-Meier estimator). If k is above n, there are too few records
/// to determine the bound; they may raise it to the largest score but not lower it.
///
/// Few records have little weight. The correction c by all records of the site is w · q, where q is their quantile and
/// w = n / (n + m); m = coverage / (1 − coverage) is the smallest number of records for which the rule is defined (19
/// for 95 %). That of a card is w · q + (1 − w) · max(c, 0), and that of a group (card and family) follows from that of
/// its card in the same way: observations from elsewhere may raise a bound but not lower it, so a group without records
/// never gets a bound below the shipped one. The guarantee of the conformal rule holds in the limit of many records.
struct SiteCalibration {
  std::map<SiteGroup, std::vector<SiteEvidence>> groups;

  /// How much to add to ln(bound). Takes time proportional to the records, so keep the result if you need it often.
  /// `coverage` is above 0 and below 1; at one half or less nothing is corrected.
  double shift(double coverage, const SiteGroup& group) const;

  /// The corrected bound, never below the median.
  double apply(double median, double upper, double coverage, const SiteGroup& group) const;

  std::size_t size() const;

  friend bool operator==(const SiteCalibration&, const SiteCalibration&) = default;
};

/// The pairs must have passed check(). Their order does not matter.
SiteCalibration calibrate(std::span<const SitePair> pairs);

/// The same as SiteCalibration::apply() with a shift that the caller kept.
double corrected_bound(double median, double upper, double shift);

}  // namespace dryfit::predictor
