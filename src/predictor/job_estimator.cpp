// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_estimator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dryfit::predictor {
namespace {

template <class Members, class Answer>
double mean_of(const Members& members, Answer answer) {
  double sum = 0;
  for (const auto& member : members) sum += answer(member);
  return sum / static_cast<double>(members.size());
}

}  // namespace

Result<JobEstimator> JobEstimator::of(JobVariant variant, const Kernels& kernels) {
  if (auto status = check(variant); !status) return status.error();
  std::vector<Network> networks;
  for (const auto& weights : variant.members) {
    auto network = Network::of(variant.shape, weights, kernels);
    if (!network) return network.error();
    networks.push_back(std::move(*network));
  }
  variant.members.clear();
  JobEstimator estimator(std::move(variant));
  estimator.networks_ = std::move(networks);
  return estimator;
}

double JobEstimator::answer(const NetworkInput& input) const {
  const auto network = [&](const Network& each) { return double{each.answer(input.job, input.tokens)}; };
  const auto trees = [&](const BoostedTrees& each) { return each.answer(input.job); };
  if (variant_.trees.empty()) return mean_of(networks_, network);
  if (networks_.empty()) return mean_of(variant_.trees, trees);
  return (mean_of(networks_, network) + mean_of(variant_.trees, trees)) / 2;
}

Result<JobEstimate> JobEstimator::estimate(const JobDescription& job) const {
  const auto input = encode(variant_, job);
  const double learned = std::clamp(answer(input.scaled), variant_.min_correction, variant_.max_correction);
  const JobEstimate estimate{.mib = input.base_mib * std::exp(variant_.offset + learned),
                             .base_mib = input.base_mib,
                             .distance = variant_.reach.distance(input.features)};
  if (std::isfinite(estimate.mib) && estimate.mib > 0 && std::isfinite(estimate.distance)) return estimate;
  return Error{"the job is too different from the training data", "Use `dryfit run` instead."};
}

}  // namespace dryfit::predictor
