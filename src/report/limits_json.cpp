// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/limits_report.h"

namespace dryfit::report {
namespace {

using Json = nlohmann::ordered_json;
using verdict::Limits;
using verdict::LimitSource;
using verdict::Verdict;

Json fraction_json(Bytes cap, const Verdict& verdict) {
  const auto fraction = verdict::fraction_for(cap, verdict.card.total_memory);
  return fraction ? Json(static_cast<double>(*fraction) / 10'000) : Json();
}

const char* source_word(LimitSource source) {
  switch (source) {
    case LimitSource::replay:
      return "replay";
    case LimitSource::dry_runs:
      return "dry-runs";
    case LimitSource::prediction:
      return "prediction";
  }
  return "replay";
}

Json caps_json(const Limits& limits, const Verdict& verdict) {
  return {{"to_request_bytes", limits.to_request.count},
          {"comfortable_cap_bytes", limits.comfortable_cap.count},
          {"comfortable_cap_fraction", fraction_json(limits.comfortable_cap, verdict)},
          {"least_cap_bytes", limits.least_cap.count},
          {"least_cap_fraction", fraction_json(limits.least_cap, verdict)},
          {"obtained", source_word(limits.source)},
          {"upper_bound_because", limits.upper_bound_because.empty() ? Json() : Json(limits.upper_bound_because)}};
}

Json curve_json(const std::vector<verdict::CapPoint>& curve, const Verdict& verdict) {
  Json list = Json::array();
  for (const auto& point : curve) {
    const bool lasts = !point.retries_per_step || std::isfinite(*point.retries_per_step);
    list.push_back({{"cap_bytes", point.cap.count},
                    {"cap_fraction", fraction_json(point.cap, verdict)},
                    {"runs", point.runs},
                    {"retries_per_step", point.retries_per_step && lasts ? Json(*point.retries_per_step) : Json()},
                    {"fails_later", point.runs && !lasts},
                    {"obtained", source_word(point.source)}});
  }
  return list;
}

}  // namespace

Json limits_json(const Verdict& verdict) {
  if (!verdict.limits) return nullptr;
  auto json = caps_json(*verdict.limits, verdict);
  if (!verdict.caps) return json;
  json["curve"] = curve_json(verdict.caps->curve, verdict);
  json["dry_runs"] = verdict.caps->dry_runs;
  json["expandable_segments"] = nullptr;
  if (const auto& expandable = verdict.caps->expandable) {
    json["expandable_segments"] = caps_json(*expandable, verdict);
    json["expandable_segments"]["curve"] = curve_json(verdict.caps->expandable_curve, verdict);
  }
  return json;
}

}  // namespace dryfit::report
