// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/evaluation.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

/// The place of each wanted row in the table.
Result<std::vector<std::size_t>> places_of(const Table& table, std::span<const std::size_t> rows) {
  const auto numbers = table.numbers("row");
  if (!numbers) return numbers.error();
  std::map<double, std::size_t> places;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if (places.try_emplace((*numbers)[i], i).second) continue;
    return Error{table.place(i) + ": the row occurs twice", "Predict every row once."};
  }
  std::vector<std::size_t> found;
  for (const auto row : rows) {
    const auto place = places.find(static_cast<double>(row));
    if (place == places.end())
      return Error{"row " + std::to_string(row) + " has no prediction", "Predict every row once."};
    found.push_back(place->second);
    places.erase(place);
  }
  if (places.empty()) return found;
  return Error{table.place(places.begin()->second) + ": the row is not in the folds",
               "Use the folds of this data set."};
}

bool is_better(Metric metric, double value, double than) {
  return larger_is_better(metric) ? value > than : value < than;
}

}  // namespace

std::string_view to_text(Baseline baseline) {
  constexpr std::array<std::string_view, 3> names{"B1", "B2", "B3"};
  return names[static_cast<std::size_t>(baseline)];
}

bool Contender::is_within(Baseline baseline) const {
  return std::ranges::any_of(kAllBaselines, [&](Baseline own) {
    return own <= baseline && name.starts_with(std::string(to_text(own)) + " ");
  });
}

BaselineScores score_baseline(Baseline baseline, std::span<const Contender> contenders,
                              std::span<const Scores> scores) {
  DRYFIT_CHECK(contenders.size() == scores.size());
  BaselineScores result;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!contenders[i].is_within(baseline)) continue;
    for (const auto metric : kAllMetrics) {
      const auto place = static_cast<std::size_t>(metric);
      if (!result.names[place].empty() && !is_better(metric, scores[i][metric], result.best[metric])) continue;
      result.best.values[place] = scores[i][metric];
      result.names[place] = contenders[i].name;
    }
  }
  return result;
}

Contender base_out_of_fold(const DataSet& data) {
  Contender base{.name = "physics base"};
  for (std::size_t place = 0; place < data.examples.size(); ++place) {
    base.predicted.push_back(data.bases[data.folds.folds[place]][place]);
  }
  return base;
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
      if (value <= 0)
        return Error{table.place(place) + ": '" + column + "' is not above zero",
                     "Give the values in the unit of the data set."};
      contender.predicted.push_back(value);
    }
  }
  return contenders;
}

std::vector<double> published(const DataSet& data, std::vector<double> values) {
  for (auto& value : values) value /= data.quantity.per_published;
  return values;
}

Scores score(const DataSet& data, const Contender& contender) {
  return score(published(data, data.truth()), published(data, contender.predicted));
}

}  // namespace dryfit::predictor
