// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

constexpr std::array kJobOptimizers{Optimizer::sgd,     Optimizer::momentum, Optimizer::adam,     Optimizer::adamw,
                                    Optimizer::rmsprop, Optimizer::adagrad,  Optimizer::adafactor};
constexpr std::array kJobPrecisions{Precision::fp32, Precision::bf16_amp, Precision::fp16_amp, Precision::bf16};
static_assert(kJobOptimizers.size() + kJobPrecisions.size() + 1 == kJobFlags);

}  // namespace

std::vector<double> job_features_of(const JobDescription& job, Knowledge knowledge,
                                    std::span<const double, kJobTerms> terms, double base_mib) {
  std::vector<double> features{std::log(job.batch),           std::log(job.model.size), std::log(job.model.parameters),
                               std::log(job.multiprocessors), std::log(base_mib),       job.compute_capability};
  features.reserve(job_feature_count(knowledge));
  for (const double term : terms) features.push_back(std::log1p(term));
  for (const auto optimizer : kJobOptimizers) features.push_back(job.optimizer == optimizer ? 1 : 0);
  for (const auto precision : kJobPrecisions) features.push_back(job.precision == precision ? 1 : 0);
  features.push_back(job.checkpointing ? 1 : 0);
  if (reads_blocks(knowledge)) {
    std::ranges::copy(block_features_of({job.model.blocks, job.batch}), std::back_inserter(features));
  }
  if (knowledge == Knowledge::probes) std::ranges::copy(probe_features_of(job), std::back_inserter(features));
  DRYFIT_CHECK(features.size() == job_feature_count(knowledge));
  return features;
}

std::vector<std::string> job_feature_names(Knowledge knowledge) {
  std::vector<std::string> names{"log batch",           "log size",          "log parameters",
                                 "log multiprocessors", "log base estimate", "compute capability"};
  for (std::size_t i = 0; i < kJobTerms; ++i) names.push_back("log1p term " + std::to_string(i));
  for (const auto optimizer : kJobOptimizers) names.emplace_back(to_text(optimizer));
  for (const auto precision : kJobPrecisions) names.emplace_back(to_text(precision));
  names.emplace_back("checkpointing");
  if (reads_blocks(knowledge)) std::ranges::copy(block_feature_names(), std::back_inserter(names));
  if (knowledge == Knowledge::probes) names.insert(names.end(), kProbeFeatureNames.begin(), kProbeFeatureNames.end());
  return names;
}

}  // namespace dryfit::predictor
