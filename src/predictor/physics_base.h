// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/result.h"
#include "predictor/job.h"

namespace dryfit::predictor {

inline constexpr std::size_t kPhysicsTerms = 5;

/// A job's memory as a weighted sum: a constant (the context), parameters with gradients and optimizer state, the
/// estimate of a run without data, activations, and the input. The weights are not negative, so more of anything never
/// means less memory. The networks learn the ratio between the measured peak and this sum.
struct PhysicsBase {
  std::array<double, kPhysicsTerms> weights{};  ///< MiB per unit of each term

  /// In MiB; above zero for a job that passed check(). The terms are those of physics_terms().
  double estimate_mib(const Job& job) const;
};

/// 1, params_m, estimate_mib, batch * macts_m, batch * image^2 / 10^4.
std::array<double, kPhysicsTerms> physics_terms(const Job& job);

/// The weights with the least sum of squared relative errors. `measured_mib` has a number above zero per job. An Error
/// if no weight above zero reduces the error.
Result<PhysicsBase> fit_physics(std::span<const Job> jobs, std::span<const double> measured_mib);

}  // namespace dryfit::predictor
