// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "cap_study.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace dryfit::cli {
namespace {

using verdict::CapPoint;

/// So many replays take about a second for a run of GPT-2.
constexpr std::uint64_t kMostOperations = 20'000'000;
constexpr std::uint64_t kMostPoints = 40;

/// The largest cap first. Caps above the comfortable one are like it, and those below the last band cannot run.
std::set<Bytes, std::greater<>> points_of(const StudiedJob& job, const whatif::CapScan& scan) {
  const auto percent = [&](std::uint64_t i) { return Bytes{job.total.count / 100 * i}; };
  const auto lowest = scan.bands.back().caps.from;
  std::set<Bytes, std::greater<>> caps{scan.comfortable, scan.least};
  std::uint64_t inside = 0;
  for (std::uint64_t i = 1; i <= 100; ++i) inside += percent(i) < scan.comfortable && percent(i) >= lowest;
  const auto stride = inside / kMostPoints + 1;
  for (std::uint64_t i = 1; i <= 100; i += stride) {
    if (percent(i) < scan.comfortable && percent(i) >= lowest) caps.insert(percent(i));
  }
  return caps;
}

}  // namespace

std::optional<whatif::EntryRange> last_step(const explain::Explanation& explanation) {
  const auto& spans = explanation.spans;
  const auto end = std::ranges::find(spans, spans.empty() ? 0 : spans.back().step, &explain::Span::step);
  if (end == spans.end() || end->step < 2) return std::nullopt;
  const auto begin = std::ranges::find(spans, end->step - 1, &explain::Span::step);
  return whatif::EntryRange{begin->begin, end->begin};
}

Result<whatif::CapScan> scan_all(const StudiedJob& job) {
  return whatif::scan_caps(*job.recording, job.conditions, {.beyond_least = true, .operations = kMostOperations});
}

Result<CapPoint> point_by_replay(const StudiedJob& job, const whatif::CapScan& scan, Bytes cap) {
  const auto band = std::ranges::find_if(scan.bands, [&](const auto& each) { return each.caps.from <= cap; });
  CapPoint point{.cap = cap, .runs = band != scan.bands.end() && band->runs};
  if (!point.runs) return point;
  if (band->retries == 0) point.retries_per_step = 0;
  if (band->retries == 0 || !job.step) return point;
  auto conditions = job.conditions;
  conditions.cap = cap;
  auto retries = whatif::retries_per_step(*job.recording, *job.step, conditions);
  if (!retries) return retries.error();
  point.retries_per_step = retries->value_or(std::numeric_limits<double>::infinity());
  return point;
}

Result<std::vector<CapPoint>> curve_by_replay(const StudiedJob& job, const whatif::CapScan& scan) {
  std::vector<CapPoint> curve;
  for (const auto cap : points_of(job, scan)) {
    auto point = point_by_replay(job, scan, cap);
    if (!point) return point.error();
    curve.push_back(*point);
  }
  drop_failures_below(curve);
  return curve;
}

void drop_failures_below(std::vector<CapPoint>& curve) {
  const auto last = std::find_if(curve.rbegin(), curve.rend(), [](const auto& point) { return point.runs; });
  const auto kept = std::min(curve.size(), static_cast<std::size_t>(curve.rend() - last) + 1);
  curve.resize(kept);
}

}  // namespace dryfit::cli
