// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "predictor/compute_reach.h"
#include "predictor/compute_testing.h"
#include "predictor/reach.h"

namespace dryfit::predictor {
namespace {

using testing::rates_of;
using testing::sample_step_job;

std::vector<float> features_of(const JobDescription& job, const PeakRates& rates,
                               ComputeKnowledge knowledge = ComputeKnowledge::layers) {
  const Step step{.job = job, .rates = rates};
  return step_features(step, knowledge, step_terms(step, knowledge));
}

TEST(ComputeFeatures, There_is_a_name_for_each) {
  for (const auto knowledge : kAllComputeKnowledge) {
    EXPECT_EQ(features_of(sample_step_job(), rates_of("a100-40gb"), knowledge).size(), step_feature_count(knowledge));
    EXPECT_EQ(step_feature_names(knowledge).size(), step_feature_count(knowledge));
  }
  EXPECT_EQ(step_feature_names(ComputeKnowledge::layers)[0], "share of matrices");
  EXPECT_EQ(step_feature_names(ComputeKnowledge::layers).back(), "mean log largest output");
}

TEST(ComputeFeatures, The_shares_of_all_terms_are_one) {
  const auto features = features_of(sample_step_job(), rates_of("rtx-3090-24gb"));
  EXPECT_NEAR(std::accumulate(features.begin(), features.begin() + kStepTerms, 0.0), 1, 1e-6);
}

TEST(ComputeFeatures, A_card_that_is_twice_as_fast_at_everything_differs_only_in_the_size_of_its_kernels) {
  auto job = sample_step_job();
  for (auto& block : job.model.blocks) block[BlockField::n_conv] = block[BlockField::n_linear] = 0;
  const auto slow = rates_of("rtx-3090-24gb");
  const PeakRates fast{2 * slow.fp32_flops, 2 * slow.tf32_flops, 2 * slow.fp16_flops, 2 * slow.bf16_flops,
                       2 * slow.bytes};
  const auto names = step_feature_names(ComputeKnowledge::layers);
  const auto one = features_of(job, slow);
  const auto other = features_of(job, fast);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double difference = names[i] == "log seconds of a layer" ? std::log(2) : 0;
    EXPECT_NEAR(one[i] - other[i], difference, 1e-4) << names[i];
  }
}

TEST(ComputeFeatures, All_are_finite_of_the_emptiest_job) {
  auto job = sample_step_job();
  job.model.blocks = {Block{}};
  job.model.blocks[0][BlockField::macs] = 1;
  for (const auto knowledge : kAllComputeKnowledge) {
    for (const auto value : features_of(job, rates_of("t4-16gb"), knowledge)) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(ComputeReach, Steps_learned_from_are_near_and_others_are_as_far_as_they_are_out) {
  const auto rates = rates_of("rtx-3090-24gb");
  const auto measures_of = [&](double batch, Precision precision) {
    auto job = sample_step_job();
    job.batch = batch;
    job.precision = precision;
    const Step step{.job = job, .rates = rates};
    return step_measures(step, step_terms(step, ComputeKnowledge::layers));
  };
  const auto reach =
      fit_step_reach(std::vector{measures_of(8, Precision::fp16_amp), measures_of(512, Precision::fp16_amp)});
  EXPECT_LE(reach.distance(measures_of(64, Precision::fp16_amp)), 1);
  EXPECT_EQ(reach.distance(measures_of(64, Precision::bf16)), Reach::kUnknownFlag);
  EXPECT_GT(reach.distance(measures_of(512 * 64, Precision::fp16_amp)), 2.9);
}

}  // namespace
}  // namespace dryfit::predictor
