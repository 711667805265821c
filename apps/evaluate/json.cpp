// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "evaluate/findings.h"

namespace dryfit::evaluate {
namespace {

using Json = nlohmann::ordered_json;
using predictor::Difference;
using predictor::kAllBaselines;
using predictor::kAllMetrics;
using predictor::Scores;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json scores_json(const Scores& scores) {
  Json json = Json::object();
  for (const auto metric : kAllMetrics) json[std::string(to_text(metric))] = number(scores[metric]);
  return json;
}

Json difference_json(const Difference& difference) {
  Json json = Json::object();
  for (const auto metric : kAllMetrics) {
    const auto& interval = difference.interval(metric);
    json[std::string(to_text(metric))] = {
        {"value", number(difference.value[metric])}, {"low", number(interval.low)}, {"high", number(interval.high)}};
  }
  return json;
}

Json baselines_json(const Findings& findings) {
  Json list = Json::array();
  for (const auto baseline : kAllBaselines) {
    const auto& best = findings.ranking.baseline(baseline);
    if (best.names[0].empty()) continue;
    Json names = Json::object();
    for (const auto metric : kAllMetrics) {
      names[std::string(to_text(metric))] = best.names[static_cast<std::size_t>(metric)];
    }
    list.push_back({{"bar", to_text(baseline)}, {"scores", scores_json(best.best)}, {"by", names}});
  }
  return list;
}

Json differences_json(const Findings& findings) {
  Json list = Json::array();
  for (const auto& [name, baseline, difference] : findings.to_baselines) {
    list.push_back({{"name", name}, {"less", to_text(baseline)}, {"scores", difference_json(difference)}});
  }
  for (const auto& [name, difference] : findings.to_named) {
    list.push_back({{"name", name}, {"less", findings.against}, {"scores", difference_json(difference)}});
  }
  return list;
}

Json contenders_json(const Findings& findings) {
  Json list = Json::array();
  for (std::size_t i = 0; i < findings.contenders.size(); ++i) {
    list.push_back({{"name", findings.contenders[i].name}, {"scores", scores_json(findings.ranking.scores[i])}});
  }
  return list;
}

}  // namespace

void print_json(const Findings& findings) {
  const auto& data = findings.data;
  const Json json = {{"set", data.name},
                     {"folds", findings.folds},
                     {"features", findings.features},
                     {"unit", data.quantity.published_unit},
                     {"prediction_unit", data.quantity.unit},
                     {"examples", data.examples.size()},
                     {"fold_count", data.folds.count},
                     {"groups", {{"kind", data.group_kind}, {"count", findings.group_count()}}},
                     {"contenders", contenders_json(findings)},
                     {"bars", baselines_json(findings)},
                     {"seed", findings.seed},
                     {"differences", differences_json(findings)}};
  std::printf("%s\n", json.dump(2).c_str());
}

}  // namespace dryfit::evaluate
