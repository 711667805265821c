// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "predictor/bootstrap.h"
#include "predictor/data_set.h"
#include "predictor/evaluation.h"

namespace dryfit::predictor {

/// The scores of all contenders, and of the baselines among them.
struct Ranking {
  std::vector<Scores> scores;  ///< of each contender
  std::array<BaselineScores, kAllBaselines.size()> baselines;

  const BaselineScores& baseline(Baseline baseline) const { return baselines[static_cast<std::size_t>(baseline)]; }
};
Ranking rank(const DataSet& data, const std::vector<Contender>& contenders);

/// First minus second in the unit of published scores, with intervals over the data set's groups.
Difference difference(const DataSet& data, const Contender& first, const Contender& second,
                      const BootstrapOptions& options);

/// One of ours minus the best of a baseline, which may be a different comparator for each metric.
struct BaselineDifference {
  std::string name;
  Baseline baseline = Baseline::b1;
  Difference difference;
};

/// For each contender that belongs to no baseline, the difference to each baseline that has comparators.
std::vector<BaselineDifference> differences_to_baselines(const DataSet& data, const std::vector<Contender>& contenders,
                                                         const Ranking& ranking, const BootstrapOptions& options);

}  // namespace dryfit::predictor
