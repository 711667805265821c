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

/// The scores of all contenders, and the bars that they make.
struct Standing {
  std::vector<Scores> scores;  ///< of each contender
  std::array<BarScores, kAllBars.size()> bars;

  const BarScores& bar(Bar bar) const { return bars[static_cast<std::size_t>(bar)]; }
};
Standing stand(const DataSet& data, const std::vector<Contender>& contenders);

/// First less second in the unit of published scores, with intervals over the data set's groups.
Difference difference(const DataSet& data, const Contender& first, const Contender& second,
                      const BootstrapOptions& options);

/// One of ours less the best of a bar: metric by metric less another comparator, as the bar names them.
struct BarDifference {
  std::string name;
  Bar bar = Bar::b1;
  Difference difference;
};

/// Of each contender that is in no bar, to each bar that has comparators.
std::vector<BarDifference> differences_to_bars(const DataSet& data, const std::vector<Contender>& contenders,
                                               const Standing& standing, const BootstrapOptions& options);

}  // namespace dryfit::predictor
