// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/site_assessment.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "predictor/distributions.h"

namespace dryfit::predictor {
namespace {

constexpr std::size_t kParts = 20;

/// The pair's own bound, converted to another coverage.
double bound_at(const SitePair& pair, double coverage) {
  if (pair.coverage == coverage) return pair.upper;
  const double margin = std::log(pair.upper / pair.median);
  return pair.median * std::exp(margin * normal_quantile(coverage) / normal_quantile(pair.coverage));
}

bool is_evidence(const SitePair& pair, double bound) { return !pair.at_least || pair.actual > bound; }

void count(BoundQuality& quality, const SitePair& pair, double bound) {
  if (!is_evidence(pair, bound)) return;
  ++quality.jobs;
  if (pair.actual <= bound) ++quality.covered;
  if (pair.at_least) return;
  ++quality.finished;
  quality.over_allocation +=
      (bound / pair.actual - 1 - quality.over_allocation) / static_cast<double>(quality.finished);
}

/// Each pair's bound, corrected by the parts that it is not in.
std::vector<double> corrected(std::span<const SitePair> pairs, double coverage) {
  std::vector<double> result(pairs.size());
  const std::size_t parts = std::min(kParts, pairs.size());
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<SitePair> others;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i % parts != part) others.push_back(pairs[i]);
    }
    const auto calibration = calibrate(others);
    std::map<SiteGroup, double> shifts;
    for (std::size_t i = part; i < pairs.size(); i += parts) {
      const auto [found, is_new] = shifts.try_emplace(pairs[i].group);
      if (is_new) found->second = calibration.shift(coverage, pairs[i].group);
      result[i] = corrected_bound(pairs[i].median, bound_at(pairs[i], coverage), found->second);
    }
  }
  return result;
}

RecentExcess recent_excess(const std::vector<const SitePair*>& pairs, double coverage, std::size_t latest) {
  RecentExcess result;
  for (auto pair = pairs.rbegin(); pair != pairs.rend() && result.jobs < latest; ++pair) {
    const double bound = bound_at(**pair, coverage);
    if (!is_evidence(**pair, bound)) continue;
    ++result.jobs;
    if ((*pair)->actual > bound) ++result.exceeded;
  }
  result.chance = binomial_tail(result.exceeded, result.jobs, 1 - coverage);
  return result;
}

}  // namespace

SiteAssessment assess(std::span<const SitePair> pairs, double coverage, std::size_t latest) {
  const auto calibration = calibrate(pairs);
  const auto after = corrected(pairs, coverage);
  SiteAssessment result;
  std::map<SiteGroup, GroupAssessment> groups;
  std::map<SiteGroup, std::vector<const SitePair*>> members;
  std::vector<const SitePair*> all;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto& group = groups[pairs[i].group];
    for (auto* each : {&result.all, &group}) {
      count(each->before, pairs[i], bound_at(pairs[i], coverage));
      count(each->after, pairs[i], after[i]);
    }
    members[pairs[i].group].push_back(&pairs[i]);
    all.push_back(&pairs[i]);
  }
  result.all.recent = recent_excess(all, coverage, latest);
  for (auto& [name, group] : groups) {
    group.group = name;
    group.shift = calibration.shift(coverage, name);
    group.recent = recent_excess(members[name], coverage, latest);
    result.groups.push_back(std::move(group));
  }
  return result;
}

}  // namespace dryfit::predictor
