// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "evaluate/findings.h"

namespace dryfit::evaluate {
namespace {

using predictor::BaselineScores;
using predictor::Difference;
using predictor::kAllBaselines;
using predictor::kAllMetrics;
using predictor::Metric;
using predictor::Scores;

void print_heading(const Findings& findings) {
  const auto& data = findings.data;
  std::printf("%s, %s, %s: %s\n", data.name.c_str(), findings.folds.c_str(), findings.features.c_str(),
              data.title.c_str());
  std::printf("%zu examples of %zu %s, %zu folds; %s, MAPE in %%\n", data.examples.size(), findings.group_count(),
              data.group_kind.c_str(), data.folds.count, data.quantity.published_unit.c_str());
}

void print_row(const std::string& name, const Scores& scores) {
  std::printf("%-34s %10.4f %8.4f %8.4f %7.3f %8.4f\n", name.c_str(), scores[Metric::mse], scores[Metric::rmse],
              scores[Metric::mae], scores[Metric::mape], scores[Metric::r2]);
}

/// "MSE, RMSE, R2: B1 LightGBM log; ...".
std::string makers_of(const BaselineScores& baseline) {
  std::string text;
  for (std::size_t i = 0; i < predictor::kMetrics; ++i) {
    bool is_named = false;
    for (std::size_t before = 0; before < i; ++before) is_named |= baseline.names[before] == baseline.names[i];
    if (is_named) continue;
    std::string metrics;
    for (const auto metric : kAllMetrics) {
      if (baseline.names[static_cast<std::size_t>(metric)] != baseline.names[i]) continue;
      metrics += (metrics.empty() ? "" : ", ") + std::string(to_text(metric));
    }
    text += (text.empty() ? "" : "; ") + metrics + ": " + baseline.names[i];
  }
  return text;
}

void print_scores(const Findings& findings) {
  std::printf("%-34s %10s %8s %8s %7s %8s\n", "", "MSE", "RMSE", "MAE", "MAPE", "R2");
  for (std::size_t i = 0; i < findings.contenders.size(); ++i) {
    print_row(findings.contenders[i].name, findings.ranking.scores[i]);
  }
  for (const auto baseline : kAllBaselines) {
    const auto& best = findings.ranking.baseline(baseline);
    if (best.names[0].empty()) continue;
    print_row("baseline " + std::string(to_text(baseline)), best.best);
    std::printf("    %s\n", makers_of(best).c_str());
  }
}

/// With a star if zero is outside the interval.
std::string with_interval(const Difference& difference, Metric metric) {
  const auto& interval = difference.interval(metric);
  char text[80];
  std::snprintf(text, sizeof text, "%+.4f [%+.4f, %+.4f]%s", difference.value[metric], interval.low, interval.high,
                interval.contains(0) ? "" : " *");
  return text;
}

void print_intervals_heading(const Findings& findings, const std::string& what) {
  std::printf("\nminus %s; 95 %% intervals over %zu %s, seed %llu; * excludes zero\n", what.c_str(),
              findings.group_count(), findings.data.group_kind.c_str(), static_cast<unsigned long long>(findings.seed));
}

void print_to_baselines(const Findings& findings) {
  print_intervals_heading(findings, "the best of each baseline");
  for (const auto& [name, baseline, difference] : findings.to_baselines) {
    std::printf("%s, %s\n", name.c_str(), std::string(to_text(baseline)).c_str());
    for (const auto metric : kAllMetrics) {
      const auto& other = findings.ranking.baseline(baseline).names[static_cast<std::size_t>(metric)];
      std::printf("  %-5s %-36s %s\n", std::string(to_text(metric)).c_str(), with_interval(difference, metric).c_str(),
                  other.c_str());
    }
  }
}

void print_to_named(const Findings& findings) {
  print_intervals_heading(findings, "'" + findings.against + "'");
  for (const auto& [name, difference] : findings.to_named) {
    std::printf("%s\n", name.c_str());
    for (const auto metric : kAllMetrics) {
      std::printf("  %-5s %s\n", std::string(to_text(metric)).c_str(), with_interval(difference, metric).c_str());
    }
  }
}

}  // namespace

void print_text(const Findings& findings) {
  print_heading(findings);
  print_scores(findings);
  if (!findings.to_baselines.empty()) print_to_baselines(findings);
  if (!findings.against.empty()) print_to_named(findings);
}

}  // namespace dryfit::evaluate
