// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "predictor/site_calibration.h"

namespace dryfit::predictor {

/// How good bounds were. A job that ran out of memory below its bound says nothing about the bound and is not counted.
struct BoundQuality {
  std::size_t jobs = 0;
  std::size_t covered = 0;     ///< jobs that stayed within their bound
  std::size_t finished = 0;    ///< jobs that finished, so that their need is known
  double over_allocation = 0;  ///< the mean of bound / need − 1 over the finished jobs

  double coverage() const { return jobs == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(jobs); }
};

/// How many of the latest jobs exceeded their bound.
struct RecentExcess {
  std::size_t jobs = 0;
  std::size_t exceeded = 0;
  double chance = 1;  ///< the probability of that many or more if the bounds had their stated coverage

  /// Whether that probability is below 1 %.
  bool is_drift() const { return jobs > 0 && chance < 0.01; }
};

struct GroupAssessment {
  SiteGroup group;      ///< empty for the whole site
  double shift = 0;     ///< of ln(bound); 0 for the whole site
  BoundQuality before;  ///< the predicted bounds
  BoundQuality after;   ///< the corrected bounds, each corrected by records other than the job's own
  RecentExcess recent;
};

struct SiteAssessment {
  GroupAssessment all;
  std::vector<GroupAssessment> groups;  ///< by card and family
};

/// Assesses what calibrate() of these pairs does to bounds of a coverage above one half. `pairs` have passed check()
/// and are in the order in which the jobs ran. "After" is cross-validated: the records are dealt into 20 parts (fewer
/// if there are fewer records), and each part is corrected by the others. `latest` is how many jobs count as recent;
/// bounds of other coverages are converted to the requested one as described at SiteEvidence.
SiteAssessment assess(std::span<const SitePair> pairs, double coverage, std::size_t latest = 50);

}  // namespace dryfit::predictor
