// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_reach.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "predictor/reach.h"

namespace dryfit::predictor {
namespace {

constexpr std::array kStepPrecisions{Precision::fp32, Precision::bf16_amp, Precision::fp16_amp, Precision::bf16};
static_assert(kStepPrecisions.size() + 1 == kStepFlags);

}  // namespace

std::array<double, kStepMeasures + kStepFlags> step_measures(const Step& step, const StepTerms& terms) {
  const auto& job = step.job;
  const double seconds = std::accumulate(terms.seconds.begin(), terms.seconds.end(), 0.0);
  std::array<double, kStepMeasures + kStepFlags> measures{std::log(job.batch), std::log(job.model.parameters),
                                                          std::log(needed_flops(job.model)), std::log(seconds)};
  auto flag = measures.begin() + kStepMeasures;
  for (const auto precision : kStepPrecisions) *flag++ = job.precision == precision ? 1 : 0;
  *flag = job.checkpointing ? 1 : 0;
  return measures;
}

double StepReach::distance(const std::array<double, kStepMeasures + kStepFlags>& measures) const {
  double distance = 0;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const bool inside = low[i] <= measures[i] && measures[i] <= high[i];
    if (i >= kStepMeasures) {
      distance = std::max(distance, inside ? 0 : Reach::kUnknownFlag);
    } else {
      const double half = std::max((high[i] - low[i]) / 2, Reach::kLeastHalfWidth);
      const double halves = std::abs(measures[i] - (low[i] + high[i]) / 2) / half;
      distance = std::max(distance, inside ? std::min(halves, 1.0) : halves);
    }
  }
  return distance;
}

StepReach fit_step_reach(std::span<const std::array<double, kStepMeasures + kStepFlags>> steps) {
  DRYFIT_CHECK(!steps.empty());
  StepReach reach{steps.front(), steps.front()};
  for (const auto& step : steps) {
    for (std::size_t i = 0; i < step.size(); ++i) {
      reach.low[i] = std::min(reach.low[i], step[i]);
      reach.high[i] = std::max(reach.high[i], step[i]);
    }
  }
  return reach;
}

}  // namespace dryfit::predictor
