// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_physics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/job_model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_description;

std::array<double, kJobTerms> terms_of(const JobDescription& job) { return job_terms(job, Knowledge::layers); }

TEST(JobPhysics, What_stays_and_what_a_step_takes_depend_on_the_optimizer) {
  auto job = sample_description();  // 8 MiB of parameters, 1 MiB of buffers
  EXPECT_DOUBLE_EQ(terms_of(job)[2], 3 * 8 + 1);
  EXPECT_DOUBLE_EQ(terms_of(job)[3], 2 * 8);
  job.optimizer = Optimizer::sgd;
  EXPECT_DOUBLE_EQ(terms_of(job)[2], 8 + 1);
  EXPECT_DOUBLE_EQ(terms_of(job)[3], 8);
  job.optimizer = Optimizer::momentum;
  EXPECT_DOUBLE_EQ(terms_of(job)[2], 2 * 8 + 1);
}

TEST(JobPhysics, The_backward_pass_holds_early_activations_beside_late_gradients) {
  auto job = sample_description();
  job.optimizer = Optimizer::sgd;
  EXPECT_DOUBLE_EQ(terms_of(job)[4], 4 * (1 + 2) + 6);  // when the second block's gradients are there
  job.model.forward_bytes += 5 * 1024 * 1024;           // a loss behind the blocks
  EXPECT_DOUBLE_EQ(terms_of(job)[4], 4 * (1 + 2 + 5));
  EXPECT_DOUBLE_EQ(terms_of(job)[6], 4 * 5);
  job.precision = Precision::bf16_amp;  // which does not halve a loss
  EXPECT_DOUBLE_EQ(terms_of(job)[4], 4 * (1.5 + 5));
}

TEST(JobPhysics, A_step_of_the_optimizer_can_be_the_peak) {
  auto job = sample_description();
  job.batch = 1;
  EXPECT_DOUBLE_EQ(terms_of(job)[4], 16);
}

TEST(JobPhysics, In_half_precision_half_is_kept_and_norms_keep_more) {
  auto job = sample_description();
  job.batch = 100;
  job.precision = Precision::bf16_amp;
  const auto autocast = terms_of(job);
  EXPECT_DOUBLE_EQ(autocast[4], 150 + 6);
  EXPECT_DOUBLE_EQ(autocast[5], autocast[4]);
  EXPECT_DOUBLE_EQ(autocast[9], 25);
  EXPECT_DOUBLE_EQ(autocast[10], 4);
  job.precision = Precision::bf16;
  const auto whole = terms_of(job);
  EXPECT_DOUBLE_EQ(whole[2], (24 + 1) / 2.0);
  EXPECT_DOUBLE_EQ(whole[4], 150 + 3);
  EXPECT_DOUBLE_EQ(whole[5], 0);
  EXPECT_DOUBLE_EQ(whole[10], 0);
}

TEST(JobPhysics, Checkpointing_has_terms_of_its_own) {
  auto job = sample_description();
  job.batch = 100;
  job.checkpointing = true;
  job.model.blocks = {job.model.blocks[0], job.model.blocks[1], job.model.blocks[0]};
  job.model.forward_bytes = 4 * 1024 * 1024;
  const auto terms = terms_of(job);
  EXPECT_DOUBLE_EQ(terms[4], 0);
  EXPECT_DOUBLE_EQ(terms[7], 100 * (1 + 2 / 2 + 1) + 4);  // one of the run of two is made again
  EXPECT_DOUBLE_EQ(terms[8], 100 * (0.5 + 2 * 0.25 + 0.5));
}

TEST(JobPhysics, With_a_linear_layer_cuBLAS_is_loaded_and_takes_more_on_new_cards) {
  auto job = sample_description();
  EXPECT_DOUBLE_EQ(terms_of(job)[0], 1.0 / 16);
  EXPECT_DOUBLE_EQ(job_terms(job, Knowledge::totals)[0], 1);
  job.model.blocks[1][BlockField::n_linear] = 1;
  EXPECT_DOUBLE_EQ(terms_of(job)[0], 1);
  EXPECT_DOUBLE_EQ(terms_of(job)[1], 0);
  job.compute_capability = 9;
  EXPECT_DOUBLE_EQ(terms_of(job)[1], 1);
}

TEST(JobPhysics, The_best_of_what_is_known_is_used) {
  auto job = sample_description();
  EXPECT_EQ(*knowledge_of(job), Knowledge::probes);
  job.model.probes.clear();
  EXPECT_EQ(*knowledge_of(job), Knowledge::layers);
  job.model.blocks.clear();
  EXPECT_EQ(*knowledge_of(job), Knowledge::totals);
  job.model.forward_bytes = 0;
  EXPECT_EQ(*knowledge_of(job), Knowledge::outline);
  job.model.flops = 0;
  EXPECT_EQ(knowledge_of(job).error().what,
            "the blocks, forward bytes and operations of the model 'tiny' are all unknown");
}

TEST(JobPhysics, With_probes_it_is_what_they_reserved_and_the_optimizers_state) {
  auto job = sample_description();  // Adam: two parameters' worth of state, 8 MiB each
  const auto terms = job_terms(job, Knowledge::probes);
  EXPECT_DOUBLE_EQ(terms[2], 16);
  EXPECT_DOUBLE_EQ(terms[4], 20 + 4 * 4);
  for (const std::size_t other : {3, 5, 6, 7, 8, 9, 10, 11}) EXPECT_EQ(terms[other], 0) << other;
  job.model.parameter_bytes *= 4;  // parameters, gradients and a step are more than the probes' peak
  EXPECT_DOUBLE_EQ(job_terms(job, Knowledge::probes)[4], 32 + 1 + 64);
}

TEST(JobPhysics, Unknown_fields_are_not_read) {
  auto job = sample_description();
  const auto totals = job_terms(job, Knowledge::totals);
  const auto outline = job_terms(job, Knowledge::outline);
  job.model.blocks.clear();
  EXPECT_EQ(job_terms(job, Knowledge::outline), outline);
  EXPECT_DOUBLE_EQ(totals[4], 16);  // 4 * 3 and half of the gradients
  job.model.forward_bytes = 0;
  EXPECT_EQ(job_terms(job, Knowledge::outline), outline);
}

TEST(JobPhysics, Weights_are_found_again_from_what_they_make) {
  const JobPhysics truth{{200, 0, 1, 0, 1.1, 0.2, 0, 0.9, 0.1, 0, 0, 0}};
  std::vector<std::array<double, kJobTerms>> terms;
  std::vector<double> measured;
  for (const auto& job : testing::varied_descriptions()) {
    terms.push_back(terms_of(job));
    measured.push_back(truth.estimate_mib(terms.back()));
  }
  const auto fitted = fit_job_physics(terms, measured);
  ASSERT_TRUE(fitted) << fitted.error().what;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    EXPECT_NEAR(fitted->estimate_mib(terms[i]) / measured[i], 1, 1e-6) << i;
  }
  EXPECT_FALSE(fit_job_physics({}, {}));
}

}  // namespace
}  // namespace dryfit::predictor
