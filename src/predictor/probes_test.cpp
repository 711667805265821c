// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/probes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/job_model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_description;

constexpr double kMib = 1024 * 1024;

double reserved_mib(const JobDescription& job) { return probed_reserved_bytes(job) / kMib; }

TEST(Probes, A_job_goes_by_those_of_its_own_kind) {
  auto job = sample_description();
  ASSERT_EQ(probes_of(job).size(), 2u);
  EXPECT_EQ(probes_of(job)[0].batch, 2);
  EXPECT_EQ(probes_of(job)[1].batch, 10);
  job.checkpointing = true;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 20 + 4 * 2);
  job.precision = Precision::bf16;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 20 + 4 * 1);
  job.model.probes.clear();
  EXPECT_TRUE(probes_of(job).empty());
}

TEST(Probes, The_two_kinds_of_autocast_count_as_one) {
  auto job = sample_description();
  job.precision = Precision::fp16_amp;
  ASSERT_FALSE(probes_of(job).empty());
  EXPECT_EQ(probes_of(job)[0].precision, Precision::bf16_amp);
  for (auto& probe : job.model.probes) {
    if (probe.precision == Precision::bf16_amp) probe.precision = Precision::fp16_amp;
  }
  job.precision = Precision::bf16_amp;
  ASSERT_FALSE(probes_of(job).empty());
  EXPECT_EQ(probes_of(job)[0].precision, Precision::fp16_amp);
}

TEST(Probes, Between_and_beyond_them_is_a_straight_line) {
  auto job = sample_description();
  for (const double batch : {1, 2, 5, 10, 100}) {
    job.batch = batch;
    EXPECT_DOUBLE_EQ(reserved_mib(job), 20 + 4 * batch) << batch;
  }
}

TEST(Probes, If_both_peaks_are_in_a_step_the_forward_pass_gives_the_slope) {
  auto job = sample_description();
  for (auto& probe : job.model.probes) probe.reserved_bytes = 60 * kMib;
  job.batch = 10;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 60);
  job.batch = 100;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 8 + 1 + 2 * 100);  // parameters, buffers, and 2 MiB a sample
}

TEST(Probes, With_a_single_probe_the_line_goes_through_what_stays) {
  auto job = sample_description();
  job.model.probes = {{Precision::fp32, false, 2, 29 * kMib, 4 * kMib, 8.0}};
  job.batch = 4;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 9 + 2 * 20);
}

TEST(Probes, The_workspace_of_cuBLAS_is_that_of_the_jobs_card) {
  auto job = sample_description();
  job.compute_capability = 9;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 36) << "nothing of the model uses it";
  job.model.blocks[0][BlockField::n_linear] = 1;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 36 + 32 - 8.125);
  for (auto& probe : job.model.probes) probe.compute_capability = 9;
  EXPECT_DOUBLE_EQ(reserved_mib(job), 36);
}

TEST(Probes, Features_are_the_batch_by_the_probes_and_shares_of_what_is_reserved) {
  const auto job = sample_description();
  const auto features = probe_features_of(job);
  EXPECT_DOUBLE_EQ(features[0], std::log(2));
  EXPECT_DOUBLE_EQ(features[1], std::log(0.4));
  EXPECT_DOUBLE_EQ(features[2], 16.0 / 36);
  EXPECT_DOUBLE_EQ(features[3], 8.0 / 36);
  EXPECT_DOUBLE_EQ(features[4], 9.0 / 36);
  EXPECT_DOUBLE_EQ(features[5], 60.0 / (9 + 20 + 1));
}

}  // namespace
}  // namespace dryfit::predictor
