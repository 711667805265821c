// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "predictor/site_calibration.h"

namespace dryfit::predictor {

/// How good a bound was. A job that ran out of memory below its bound tells nothing and is not counted.
struct BoundQuality {
  std::size_t jobs = 0;
  std::size_t covered = 0;     ///< of these, that stayed within their bound
  std::size_t finished = 0;    ///< of these, whose need is known
  double over_allocation = 0;  ///< the mean of bound / need − 1 over those

  double coverage() const { return jobs == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(jobs); }
};

/// How many of the latest jobs broke the bound they were given.
struct RecentExcess {
  std::size_t jobs = 0;
  std::size_t exceeded = 0;
  double chance = 1;  ///< of so many or more, if the bounds held as often as they say

  /// That would be less likely than 1 %.
  bool is_drift() const { return jobs > 0 && chance < 0.01; }
};

struct GroupAssessment {
  SiteGroup group;      ///< of the whole site: empty
  double shift = 0;     ///< of ln(bound); of the whole site 0
  BoundQuality before;  ///< the bounds that were predicted
  BoundQuality after;   ///< corrected, each by records other than the job's own
  RecentExcess recent;
};

struct SiteAssessment {
  GroupAssessment all;
  std::vector<GroupAssessment> groups;  ///< by card and family
};

/// What calibrate() of these pairs does to bounds of a coverage above one half. `pairs` come in the order in which the
/// jobs ran and passed check(). "After" is cross-validated: the records are dealt into 20 parts (fewer where there are
/// fewer records), and each part is corrected by the others. `latest` is how many jobs are recent; bounds of other
/// coverages are taken to the one asked for as SiteEvidence says.
SiteAssessment assess(std::span<const SitePair> pairs, double coverage, std::size_t latest = 50);

}  // namespace dryfit::predictor
