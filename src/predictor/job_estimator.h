// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "base/result.h"
#include "predictor/job_model.h"
#include "predictor/network.h"

namespace dryfit::predictor {

/// What a way says of a job, without a bound.
struct JobEstimate {
  double mib = 0;
  double base_mib = 0;  ///< what physics alone says
  double distance = 0;  ///< Note [Distance]
};

/// A way that answers. Immutable, so it may be used by many threads at once.
class JobEstimator {
 public:
  /// An Error when the parts do not belong together.
  static Result<JobEstimator> of(JobWay way, const Kernels& kernels = best_kernels());

  /// Of a job that has passed check() and is known at least as well as way().knowledge. An Error when the answer is no
  /// number: the job is too far from what was learned.
  Result<JobEstimate> estimate(const JobDescription& job) const;

  const JobWay& way() const { return way_; }

 private:
  explicit JobEstimator(JobWay way) : way_(std::move(way)) {}
  double answer(const NetworkInput& input) const;

  JobWay way_;  ///< without the networks' weights
  std::vector<Network> networks_;
};

}  // namespace dryfit::predictor
