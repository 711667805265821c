// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_physics.h"

#include <gtest/gtest.h>

#include <numeric>

#include "predictor/compute_testing.h"

namespace dryfit::predictor {
namespace {

using testing::rates_of;
using testing::sample_step_job;

constexpr auto kLayers = ComputeKnowledge::layers;
constexpr auto kOperations = ComputeKnowledge::operations;

StepTerms terms_of(const JobDescription& job, const std::string& card, ComputeKnowledge knowledge = kLayers) {
  const auto rates = rates_of(card);
  return step_terms({.job = job, .rates = rates}, knowledge);
}

double sum_of(const StepTerms& terms) { return std::accumulate(terms.seconds.begin(), terms.seconds.end(), 0.0); }

TEST(ComputePhysics, Matrices_take_six_operations_for_each_multiply_add_at_the_peak) {
  const auto terms = terms_of(sample_step_job(), "rtx-3090-24gb");
  EXPECT_NEAR(terms[StepTerm::matrices], 64 * 9e9 / 71.16e12, 1e-5);
  EXPECT_NEAR(terms[StepTerm::activations], 64 * 15e6 / 2 / 936.1e9, 1e-6);
  EXPECT_NEAR(terms[StepTerm::layers], 15e-5, 1e-12);
  EXPECT_NEAR(terms[StepTerm::parameters], 15 * 100e6 / 936.1e9, 1e-6);
  EXPECT_EQ(terms[StepTerm::attention], 0);
  EXPECT_EQ(terms[StepTerm::grouped], 0);
  EXPECT_EQ(terms[StepTerm::depthwise], 0);
}

TEST(ComputePhysics, Twice_the_batch_takes_about_twice_as_long) {
  for (const auto knowledge : kAllComputeKnowledge) {
    auto job = sample_step_job();
    const double once = sum_of(terms_of(job, "rtx-3090-24gb", knowledge));
    job.batch *= 2;
    const double twice = sum_of(terms_of(job, "rtx-3090-24gb", knowledge));
    EXPECT_GT(twice, 1.7 * once);
    EXPECT_LT(twice, 2 * once);
  }
}

TEST(ComputePhysics, A_faster_card_takes_less_time) {
  for (const auto knowledge : kAllComputeKnowledge) {
    double slower = 1e9;
    for (const char* card : {"t4-16gb", "rtx-3090-24gb", "a100-40gb", "h100-80gb", "b200-180gb"}) {
      const double seconds = sum_of(terms_of(sample_step_job(), card, knowledge));
      EXPECT_LT(seconds, slower) << card;
      slower = seconds;
    }
  }
}

TEST(ComputePhysics, Fp32_is_slower_and_its_linear_layers_do_not_use_tensor_cores) {
  auto job = sample_step_job();
  const auto half = terms_of(job, "a100-40gb");
  job.precision = Precision::fp32;
  const auto full = terms_of(job, "a100-40gb");
  const auto rates = rates_of("a100-40gb");
  EXPECT_NEAR(full[StepTerm::matrices], 64 * (6e9 / rates.tf32_flops + 3e9 / rates.fp32_flops), 1e-9);
  EXPECT_EQ(full[StepTerm::activations], 2 * half[StepTerm::activations]);
}

TEST(ComputePhysics, Checkpointing_does_a_third_of_the_samples_work_again) {
  auto job = sample_step_job();
  const auto without = terms_of(job, "a100-40gb");
  job.checkpointing = true;
  const auto with = terms_of(job, "a100-40gb");
  EXPECT_NEAR(with[StepTerm::matrices], without[StepTerm::matrices] * 4 / 3, 1e-12);
  EXPECT_EQ(with[StepTerm::parameters], without[StepTerm::parameters]);
}

TEST(ComputePhysics, Operations_beyond_the_layers_are_attention_unless_there_are_groups) {
  auto job = sample_step_job();
  job.model.flops = 12e9;
  EXPECT_NEAR(terms_of(job, "rtx-3090-24gb")[StepTerm::attention], 64 * 3e9 / 71.16e12, 1e-5);
  EXPECT_EQ(needed_flops(job.model), 12e9);
  job.model.blocks[0][BlockField::n_depthwise] = 1;
  EXPECT_EQ(terms_of(job, "rtx-3090-24gb")[StepTerm::attention], 0);
  EXPECT_EQ(needed_flops(job.model), 9e9);
  job.model.blocks[0][BlockField::n_depthwise] = 0;
  job.model.flops = 0;
  EXPECT_EQ(needed_flops(job.model), 9e9);
}

TEST(ComputePhysics, Grouped_and_depthwise_convolutions_cost_extra) {
  auto job = sample_step_job();
  auto& block = job.model.blocks[0];
  block[BlockField::n_groupconv] = 2;
  block[BlockField::k_group_dw] = 3;
  block[BlockField::hw_group_dw] = 10;
  block[BlockField::max_groups] = 32;
  block[BlockField::max_channels] = 256;
  block[BlockField::max_groupconv_bytes] = 4 * 128 * 100;
  EXPECT_EQ(group_width(block), 4);
  const auto rates = rates_of("rtx-3090-24gb");
  EXPECT_NEAR(terms_of(job, "rtx-3090-24gb")[StepTerm::grouped], 64 * 6 * (2 * 128 * 100 * 9 * 4) / rates.fp16_flops,
              1e-12);
  block[BlockField::n_groupconv] = 0;
  block[BlockField::n_depthwise] = 3;
  block[BlockField::max_depthwise_bytes] = 1e6;
  EXPECT_NEAR(terms_of(job, "rtx-3090-24gb")[StepTerm::depthwise], 64 * 3e6 * 9 / 2 / rates.bytes, 1e-12);
  EXPECT_EQ(group_width(block), 0);
}

TEST(ComputePhysics, An_optimizer_with_more_state_and_a_whole_share_of_it_take_longer) {
  auto job = sample_step_job();
  const auto rates = rates_of("rtx-3090-24gb");
  job.optimizer = Optimizer::sgd;
  const double sgd = terms_of(job, "rtx-3090-24gb")[StepTerm::parameters];
  job.optimizer = Optimizer::adamw;
  const double adamw = terms_of(job, "rtx-3090-24gb")[StepTerm::parameters];
  EXPECT_GT(adamw, sgd);
  const Step eighth{.job = job, .rates = rates, .optimizer_share = 0.125};
  EXPECT_NEAR(step_terms(eighth, kLayers)[StepTerm::parameters], adamw / 8, 1e-12);
}

TEST(ComputePhysics, Without_blocks_operations_are_enough_and_without_both_there_is_no_answer) {
  auto job = sample_step_job();
  EXPECT_EQ(*compute_knowledge_of(job), kLayers);
  job.model.blocks.clear();
  EXPECT_EQ(*compute_knowledge_of(job), kOperations);
  EXPECT_NEAR(terms_of(job, "rtx-3090-24gb", kOperations)[StepTerm::matrices], 64 * 9e9 / 71.16e12, 1e-5);
  job.model.flops = 0;
  EXPECT_EQ(compute_knowledge_of(job).error().what, "the blocks and operations of the model 'tiny' are both unknown");
}

TEST(ComputePhysics, Weights_are_found_again_and_none_is_negative) {
  std::vector<StepTerms> terms;
  std::vector<double> seconds;
  for (const auto& example : testing::sample_steps()) {
    terms.push_back(step_terms({.job = example.job, .rates = example.rates}, kLayers));
    seconds.push_back(3 * terms.back()[StepTerm::matrices] + 7 * terms.back()[StepTerm::activations]);
  }
  const auto physics = fit_step_physics(terms, seconds);
  ASSERT_TRUE(physics) << physics.error().what;
  EXPECT_NEAR(physics->weights[0], 3, 1e-3);
  EXPECT_NEAR(physics->weights[2], 7, 1e-3);
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_NEAR(physics->seconds(terms[i]) / seconds[i], 1, 1e-3);
  EXPECT_EQ(fit_step_physics(std::vector<StepTerms>(3), std::vector<double>(3, 1.0)).error().what,
            "cannot fit a roofline to 3 steps");
}

}  // namespace
}  // namespace dryfit::predictor
