// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/comparison.h"

#include <algorithm>
#include <map>

namespace dryfit::predictor {
namespace {

Difference to_best(const DataSet& data, const Contender& ours, const BarScores& best,
                   const std::vector<Contender>& contenders, const BootstrapOptions& options) {
  std::map<std::string, Difference> by_name;
  Difference result;
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    const auto& name = best.names[metric];
    if (!by_name.contains(name)) {
      by_name[name] = difference(data, ours, *std::ranges::find(contenders, name, &Contender::name), options);
    }
    result.value.values[metric] = by_name[name].value.values[metric];
    result.intervals[metric] = by_name[name].intervals[metric];
  }
  return result;
}

}  // namespace

Standing stand(const DataSet& data, const std::vector<Contender>& contenders) {
  Standing standing;
  for (const auto& contender : contenders) standing.scores.push_back(score(data, contender));
  for (const auto bar : kAllBars) {
    standing.bars[static_cast<std::size_t>(bar)] = score_bar(bar, contenders, standing.scores);
  }
  return standing;
}

Difference difference(const DataSet& data, const Contender& first, const Contender& second,
                      const BootstrapOptions& options) {
  return compare(published(data, data.truth()), published(data, first.predicted), published(data, second.predicted),
                 number_groups(data.groups()), options);
}

std::vector<BarDifference> differences_to_bars(const DataSet& data, const std::vector<Contender>& contenders,
                                               const Standing& standing, const BootstrapOptions& options) {
  std::vector<BarDifference> differences;
  for (const auto& contender : contenders) {
    if (contender.is_within(Bar::b3)) continue;
    for (const auto bar : kAllBars) {
      const auto& best = standing.bar(bar);
      if (best.names[0].empty()) continue;
      differences.push_back({contender.name, bar, to_best(data, contender, best, contenders, options)});
    }
  }
  return differences;
}

}  // namespace dryfit::predictor
