// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

using Rows = std::vector<std::size_t>;

std::vector<Rows> rows_by_group(std::span<const std::size_t> groups) {
  std::vector<Rows> rows(*std::ranges::max_element(groups) + 1);
  for (std::size_t i = 0; i < groups.size(); ++i) rows[groups[i]].push_back(i);
  std::erase_if(rows, [](const Rows& group) { return group.empty(); });
  return rows;
}

/// Unlike std::uniform_int_distribution, this is the same with every library.
std::size_t below(std::mt19937_64& random, std::size_t end) { return static_cast<std::size_t>(random() % end); }

Rows draw(const std::vector<Rows>& groups, std::mt19937_64& random) {
  Rows drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& group = groups[below(random, groups.size())];
    drawn.insert(drawn.end(), group.begin(), group.end());
  }
  return drawn;
}

std::vector<double> picked(std::span<const double> values, const Rows& rows) {
  std::vector<double> result;
  result.reserve(rows.size());
  for (const auto row : rows) result.push_back(values[row]);
  return result;
}

Scores difference(const Scores& first, const Scores& second) {
  Scores result;
  for (std::size_t i = 0; i < kMetrics; ++i) result.values[i] = first.values[i] - second.values[i];
  return result;
}

/// Interpolates linearly between neighbours; `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below_place = static_cast<std::size_t>(place);
  const auto above_place = std::min(below_place + 1, sorted.size() - 1);
  return std::lerp(sorted[below_place], sorted[above_place], place - static_cast<double>(below_place));
}

Interval middle(std::vector<double> values, double coverage) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return {std::nan(""), std::nan("")};
  std::ranges::sort(values);
  return {quantile(values, (1 - coverage) / 2), quantile(values, (1 + coverage) / 2)};
}

}  // namespace

std::vector<std::size_t> number_groups(std::span<const std::string> names) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> groups;
  for (const auto& name : names) groups.push_back(numbers.try_emplace(name, numbers.size()).first->second);
  return groups;
}

Difference compare(std::span<const double> truth, std::span<const double> first, std::span<const double> second,
                   std::span<const std::size_t> groups, const BootstrapOptions& options) {
  DRYFIT_CHECK(groups.size() == truth.size() && options.draws > 0);
  const auto rows = rows_by_group(groups);
  std::mt19937_64 random(options.seed);
  std::array<std::vector<double>, kMetrics> samples;
  for (std::size_t i = 0; i < options.draws; ++i) {
    const auto drawn = draw(rows, random);
    const auto drawn_truth = picked(truth, drawn);
    const auto one = difference(score(drawn_truth, picked(first, drawn)), score(drawn_truth, picked(second, drawn)));
    for (std::size_t metric = 0; metric < kMetrics; ++metric) samples[metric].push_back(one.values[metric]);
  }
  Difference result{.value = difference(score(truth, first), score(truth, second))};
  for (std::size_t i = 0; i < kMetrics; ++i) result.intervals[i] = middle(std::move(samples[i]), options.coverage);
  return result;
}

}  // namespace dryfit::predictor
