// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/site_calibration.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "predictor/distributions.h"

namespace dryfit::predictor {
namespace {

constexpr double kRounding = 1e-9;

struct Score {
  double value = 0;
  bool at_least = false;

  /// Among equal values, those that are only lower limits come last.
  friend auto operator<=>(const Score&, const Score&) = default;
};

void add_scores(std::vector<Score>& scores, const std::vector<SiteEvidence>& evidence, double unit) {
  for (const auto& each : evidence) scores.push_back({each.ratio - each.scale * unit, each.at_least});
}

/// The correction by these records, given the correction `outer` of the larger group that contains them.
double blended(std::vector<Score> scores, double coverage, double outer) {
  outer = std::max(outer, 0.0);
  if (scores.empty()) return outer;
  std::ranges::sort(scores);
  const auto n = static_cast<double>(scores.size());
  const double weight = n / (n + coverage / (1 - coverage));
  double mass = 1 / (n + 1), reached = 0, left = n + 1;
  for (const auto& score : scores) {
    if (score.at_least) {
      mass *= left / (left - 1);
    } else {
      reached += mass;
    }
    --left;
    if (reached >= coverage - kRounding) return weight * score.value + (1 - weight) * outer;
  }
  return weight * std::max(scores.back().value, outer) + (1 - weight) * outer;
}

Error wrong(const char* what) { return {what, "Leave the record out."}; }

bool is_size(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

Status check(const SitePair& pair) {
  if (!is_size(pair.median) || !is_size(pair.upper) || !is_size(pair.actual)) return wrong("a size is not above zero");
  if (pair.upper < pair.median) return wrong("the bound is below the median");
  if (!(pair.coverage > 0.5 && pair.coverage < 1)) return wrong("the coverage is not between 0.5 and 1");
  return {};
}

double SiteCalibration::shift(double coverage, const SiteGroup& group) const {
  if (coverage <= 0.5) return 0;
  const double unit = normal_quantile(coverage);
  std::vector<Score> of_site, of_card, of_group;
  for (const auto& [each, evidence] : groups) {
    add_scores(of_site, evidence, unit);
    if (each.card == group.card) add_scores(of_card, evidence, unit);
    if (each == group) add_scores(of_group, evidence, unit);
  }
  const double site = blended(std::move(of_site), coverage, 0);
  return blended(std::move(of_group), coverage, blended(std::move(of_card), coverage, site));
}

double corrected_bound(double median, double upper, double shift) { return std::max(median, upper * std::exp(shift)); }

double SiteCalibration::apply(double median, double upper, double coverage, const SiteGroup& group) const {
  return corrected_bound(median, upper, shift(coverage, group));
}

std::size_t SiteCalibration::size() const {
  std::size_t sum = 0;
  for (const auto& [group, evidence] : groups) sum += evidence.size();
  return sum;
}

SiteCalibration calibrate(std::span<const SitePair> pairs) {
  SiteCalibration result;
  for (const auto& pair : pairs) {
    result.groups[pair.group].push_back({.ratio = std::log(pair.actual / pair.median),
                                         .scale = std::log(pair.upper / pair.median) / normal_quantile(pair.coverage),
                                         .at_least = pair.at_least});
  }
  for (auto& [group, evidence] : result.groups) {
    std::ranges::sort(evidence, {}, [](const SiteEvidence& e) { return std::tuple(e.ratio, e.scale, e.at_least); });
  }
  return result;
}

}  // namespace dryfit::predictor
