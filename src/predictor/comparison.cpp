// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/comparison.h"

#include <algorithm>
#include <map>

namespace dryfit::predictor {
namespace {

Difference to_best(const DataSet& data, const Contender& ours, const BaselineScores& best,
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

Ranking rank(const DataSet& data, const std::vector<Contender>& contenders) {
  Ranking ranking;
  for (const auto& contender : contenders) ranking.scores.push_back(score(data, contender));
  for (const auto baseline : kAllBaselines) {
    ranking.baselines[static_cast<std::size_t>(baseline)] = score_baseline(baseline, contenders, ranking.scores);
  }
  return ranking;
}

Difference difference(const DataSet& data, const Contender& first, const Contender& second,
                      const BootstrapOptions& options) {
  return compare(published(data, data.truth()), published(data, first.predicted), published(data, second.predicted),
                 number_groups(data.groups()), options);
}

std::vector<BaselineDifference> differences_to_baselines(const DataSet& data, const std::vector<Contender>& contenders,
                                                         const Ranking& ranking, const BootstrapOptions& options) {
  std::vector<BaselineDifference> differences;
  for (const auto& contender : contenders) {
    if (contender.is_within(Baseline::b3)) continue;
    for (const auto baseline : kAllBaselines) {
      const auto& best = ranking.baseline(baseline);
      if (best.names[0].empty()) continue;
      differences.push_back({contender.name, baseline, to_best(data, contender, best, contenders, options)});
    }
  }
  return differences;
}

}  // namespace dryfit::predictor
