// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

/// Keeps 0.95 * 20 from becoming the 20th of 19 by rounding.
constexpr double kRounding = 1e-9;

std::size_t rank_of(double coverage, std::size_t count) {
  return static_cast<std::size_t>(std::ceil(coverage * static_cast<double>(count + 1) - kRounding));
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

Error too_much(double coverage, double most) {
  return {"a coverage of " + text_of(coverage) + " is more than the model's calibration supports",
          "Use at most " + text_of(std::floor(most * 1000) / 1000) + "."};
}

}  // namespace

double Calibration::most_coverage() const {
  if (folds.empty()) return 0;
  const auto least = std::ranges::min(folds, {}, [](const auto& fold) { return fold.size(); }).size();
  return static_cast<double>(least) / static_cast<double>(least + 1);
}

Result<double> Calibration::margin(double coverage) const {
  if (!(coverage > 0 && coverage < 1)) {
    return Error{"the coverage is " + text_of(coverage), "Give a number above 0 and below 1, such as 0.95."};
  }
  double margin = -std::numeric_limits<double>::infinity();
  for (const auto& fold : folds) {
    const auto rank = rank_of(coverage, fold.size());
    margin = rank > fold.size() ? std::numeric_limits<double>::infinity()
                                : std::max(margin, fold[std::max<std::size_t>(rank, 1) - 1]);
  }
  if (std::isfinite(margin)) return margin;
  return too_much(coverage, most_coverage());
}

Margins::Margins(Calibration calibration) : folds_(std::move(calibration)) {
  auto& all = together_.folds.emplace_back();
  for (const auto& fold : folds_.folds) all.insert(all.end(), fold.begin(), fold.end());
  std::ranges::sort(all);
}

Result<double> Margins::at(double coverage) const {
  const auto together = together_.margin(coverage);
  if (!together) return together;
  const double of_a_fold = 1 - kWorstFold * (1 - coverage);
  if (of_a_fold <= 0) return together;
  const auto worst = folds_.margin(of_a_fold);
  if (!worst) return too_much(coverage, 1 - (1 - folds_.most_coverage()) / kWorstFold);
  return std::max(*together, *worst);
}

Calibration calibrate(std::span<const double> residuals, std::span<const std::size_t> fold_of) {
  DRYFIT_CHECK(residuals.size() == fold_of.size());
  Calibration calibration;
  if (fold_of.empty()) return calibration;
  calibration.folds.resize(std::ranges::max(fold_of) + 1);
  for (std::size_t i = 0; i < residuals.size(); ++i) calibration.folds[fold_of[i]].push_back(residuals[i]);
  for (auto& fold : calibration.folds) std::ranges::sort(fold);
  return calibration;
}

}  // namespace dryfit::predictor
