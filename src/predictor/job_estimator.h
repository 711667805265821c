// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "base/result.h"
#include "predictor/job_model.h"
#include "predictor/network.h"

namespace dryfit::predictor {

/// What a variant predicts for a job, without a bound.
struct JobEstimate {
  double mib = 0;
  double base_mib = 0;  ///< the prediction of physics alone
  double distance = 0;  ///< Note [Distance]
};

/// A variant that is ready to predict. Immutable, and so thread-safe.
class JobEstimator {
 public:
  /// An Error if the parts do not belong together.
  static Result<JobEstimator> of(JobVariant variant, const Kernels& kernels = best_kernels());

  /// The job has passed check() and has at least the knowledge of the variant. An Error if the result is not a number:
  /// the job is too far from the training data.
  Result<JobEstimate> estimate(const JobDescription& job) const;

  const JobVariant& variant() const { return variant_; }

 private:
  explicit JobEstimator(JobVariant variant) : variant_(std::move(variant)) {}
  double answer(const NetworkInput& input) const;

  JobVariant variant_;  ///< without the networks' weights
  std::vector<Network> networks_;
};

}  // namespace dryfit::predictor
