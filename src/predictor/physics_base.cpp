// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/physics_base.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "predictor/nnls.h"

namespace dryfit::predictor {

std::array<double, kPhysicsTerms> physics_terms(const Job& job) {
  return {1, job.params_m, job.estimate_mib, job.batch * job.macts_m, job.batch * job.image * job.image / 1e4};
}

double PhysicsBase::estimate_mib(const Job& job) const {
  const auto terms = physics_terms(job);
  return std::inner_product(terms.begin(), terms.end(), weights.begin(), 0.0);
}

Result<PhysicsBase> fit_physics(std::span<const Job> jobs, std::span<const double> measured_mib) {
  DRYFIT_CHECK(jobs.size() == measured_mib.size());
  std::vector<double> rows;
  for (const auto& job : jobs) std::ranges::copy(physics_terms(job), std::back_inserter(rows));
  const auto weights = solve_relative_nnls(rows, measured_mib, kPhysicsTerms);
  if (std::ranges::all_of(weights, [](double weight) { return weight <= 0; })) {
    return Error{"cannot fit the physics base to " + std::to_string(jobs.size()) + " jobs", "Give more jobs."};
  }
  PhysicsBase base;
  std::ranges::copy(weights, base.weights.begin());
  return base;
}

}  // namespace dryfit::predictor
