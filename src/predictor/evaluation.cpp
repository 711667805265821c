// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/evaluation.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "predictor/physics_base.h"

namespace dryfit::predictor {
namespace {

constexpr double kMebibytesPerGibibyte = 1024;

std::vector<double> in_gib(std::span<const double> mib) {
  std::vector<double> gib;
  for (const double value : mib) gib.push_back(value / kMebibytesPerGibibyte);
  return gib;
}

/// Where in the table each wanted row stands.
Result<std::vector<std::size_t>> places_of(const Table& table, std::span<const std::size_t> rows) {
  const auto numbers = table.numbers("row");
  if (!numbers) return numbers.error();
  std::map<double, std::size_t> places;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if (places.try_emplace((*numbers)[i], i).second) continue;
    return Error{table.place(i) + ": the row is there twice", "predict every row once"};
  }
  std::vector<std::size_t> found;
  for (const auto row : rows) {
    const auto place = places.find(static_cast<double>(row));
    if (place == places.end())
      return Error{"row " + std::to_string(row) + " is not predicted", "predict every row once"};
    found.push_back(place->second);
    places.erase(place);
  }
  if (places.empty()) return found;
  return Error{table.place(places.begin()->second) + ": the row is not one of the folds", "use the folds of this data"};
}

bool is_better(Metric metric, double value, double than) {
  return larger_is_better(metric) ? value > than : value < than;
}

}  // namespace

std::string_view to_text(Bar bar) {
  constexpr std::array<std::string_view, 3> names{"B1", "B2", "B3"};
  return names[static_cast<std::size_t>(bar)];
}

bool Contender::is_within(Bar bar) const {
  return std::ranges::any_of(kAllBars,
                             [&](Bar own) { return own <= bar && name.starts_with(std::string(to_text(own)) + " "); });
}

BarScores score_bar(Bar bar, std::span<const Contender> contenders, std::span<const Scores> scores) {
  DRYFIT_CHECK(contenders.size() == scores.size());
  BarScores result;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!contenders[i].is_within(bar)) continue;
    for (const auto metric : kAllMetrics) {
      const auto place = static_cast<std::size_t>(metric);
      if (!result.names[place].empty() && !is_better(metric, scores[i][metric], result.best[metric])) continue;
      result.best.values[place] = scores[i][metric];
      result.names[place] = contenders[i].name;
    }
  }
  return result;
}

Result<Contender> physics_out_of_fold(const TimmMemory& data) {
  Contender physics{"physics base", std::vector<double>(data.jobs.size())};
  for (std::size_t fold = 0; fold < data.folds.count; ++fold) {
    std::vector<Job> jobs;
    std::vector<double> measured;
    for (const auto place : data.folds.trained_in(fold)) {
      jobs.push_back(data.jobs[place].job);
      measured.push_back(data.jobs[place].measured_mib);
    }
    const auto base = fit_physics(jobs, measured);
    if (!base) return base.error();
    for (const auto place : data.folds.tested_in(fold)) {
      physics.predicted_mib[place] = base->estimate_mib(data.jobs[place].job);
    }
  }
  return physics;
}

Result<std::vector<Contender>> contenders_in(const Table& table, std::span<const std::size_t> rows) {
  const auto places = places_of(table, rows);
  if (!places) return places.error();
  std::vector<Contender> contenders;
  for (const auto& column : table.columns()) {
    if (column == "row") continue;
    const auto numbers = table.numbers(column);
    if (!numbers) return numbers.error();
    auto& contender = contenders.emplace_back(Contender{.name = column});
    for (const auto place : *places) {
      const double value = (*numbers)[place];
      if (value <= 0) return Error{table.place(place) + ": '" + column + "' is not above zero", "give MiB"};
      contender.predicted_mib.push_back(value);
    }
  }
  return contenders;
}

bool is_held_out(std::string_view protocol) {
  constexpr std::array<std::string_view, 4> open{"module5_s0", "module5_s1", "model5_s0", "random5_s0"};
  return std::ranges::find(open, protocol) == open.end();
}

Scores score_gib(const TimmMemory& data, std::span<const double> predicted_mib) {
  std::vector<double> truth;
  for (const auto& job : data.jobs) truth.push_back(job.measured_mib);
  return score(in_gib(truth), in_gib(predicted_mib));
}

}  // namespace dryfit::predictor
