// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "predictor/compute_physics.h"

namespace dryfit::predictor {

inline constexpr std::size_t kStepMeasures = 4;
inline constexpr std::size_t kStepFlags = 5;

/// Logarithms of batch, parameters, operations per sample, and the sum of step_terms(); then 0 or 1 for each precision
/// and for checkpointing. The job has passed check() and its operations are known in some form.
std::array<double, kStepMeasures + kStepFlags> step_measures(const Step& step, const StepTerms& terms);

/// The range of the training steps. The distance of a step from them is that of Note [Distance] with the measures
/// above: the largest of |value - middle| / half width, and Reach::kUnknownFlag for a flag that no training step had.
struct StepReach {
  std::array<double, kStepMeasures + kStepFlags> low{};
  std::array<double, kStepMeasures + kStepFlags> high{};

  double distance(const std::array<double, kStepMeasures + kStepFlags>& measures) const;
};

/// From at least one step.
StepReach fit_step_reach(std::span<const std::array<double, kStepMeasures + kStepFlags>> steps);

}  // namespace dryfit::predictor
