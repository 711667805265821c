// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/description.h"

#include <gtest/gtest.h>

#include <limits>

#include "predictor/testing.h"

namespace dryfit::predictor {
namespace {

JobDescription plausible_job() {
  return {.model = {.name = "resnet50",
                    .size = 224,
                    .parameters = 25e6,
                    .parameter_bytes = 100e6,
                    .blocks = {testing::sample_block(1)}},
          .batch = 64,
          .multiprocessors = 128,
          .compute_capability = 8.9};
}

std::string problem_of_job(const JobDescription& job) {
  const auto status = check(job);
  return status ? "" : status.error().what;
}

TEST(Description, A_sensible_job_passes) { EXPECT_EQ(problem_of_job(plausible_job()), ""); }

TEST(Description, Unknown_numbers_may_be_zero) {
  auto job = plausible_job();
  job.model.blocks.clear();
  EXPECT_EQ(job.model.flops, 0);
  EXPECT_EQ(job.model.forward_bytes, 0);
  EXPECT_EQ(problem_of_job(job), "");
}

TEST(Description, A_batch_of_zero_of_less_of_a_half_or_beyond_all_sense_is_refused) {
  auto job = plausible_job();
  job.batch = 0;
  EXPECT_EQ(problem_of_job(job), "the job's 'batch' is 0");
  job.batch = -8;
  EXPECT_EQ(problem_of_job(job), "the job's 'batch' is -8");
  job.batch = 1.5;
  EXPECT_EQ(problem_of_job(job), "the job's 'batch' is 1.5");
  job.batch = 1e30;
  EXPECT_EQ(problem_of_job(job), "the job's 'batch' is 1e+30");
  EXPECT_EQ(check(job).error().hint, "Give a number above 0 to 10000000.");
}

TEST(Description, A_NaN_is_refused_anywhere) {
  auto job = plausible_job();
  job.model.flops = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem_of_job(job), "the job's 'flops' is nan");
  job = plausible_job();
  job.compute_capability = std::numeric_limits<double>::infinity();
  EXPECT_EQ(problem_of_job(job), "the job's 'compute_capability' is inf");
  job = plausible_job();
  job.model.blocks[0][BlockField::macs] = -1;
  EXPECT_EQ(problem_of_job(job), "the job's block 0: 'macs' is -1.000000");
}

TEST(Description, More_blocks_than_a_network_reads_are_refused) {
  auto job = plausible_job();
  job.model.blocks.resize(kMostBlocks + 1);
  EXPECT_EQ(problem_of_job(job), "the job has 17 blocks, more than 16");
}

TEST(Description, Probes_that_make_no_sense_are_refused) {
  auto job = plausible_job();
  const Probe probe{Precision::fp32, false, 2, 5000, 600, 9};
  job.model.probes = {probe};
  EXPECT_EQ(problem_of_job(job), "");
  job.model.probes[0].batch = 0;
  EXPECT_EQ(problem_of_job(job), "the job's 'probes: batch' is 0");
  job.model.probes = {probe, probe};
  EXPECT_EQ(problem_of_job(job), "the job's 'probes' are out of order or contain a duplicate");
  job.model.probes.resize(kMostProbes + 1);
  EXPECT_EQ(problem_of_job(job), "the job has 65 probes, more than 64");
}

TEST(Description, Optimizers_and_precisions_are_read_as_they_are_written) {
  for (const auto* name : {"sgd", "momentum", "adam", "adamw", "rmsprop", "adagrad", "adafactor"}) {
    const auto optimizer = parse_optimizer(name);
    ASSERT_TRUE(optimizer) << name;
    EXPECT_EQ(to_text(*optimizer), name);
  }
  for (const auto* name : {"fp32", "bf16-amp", "fp16-amp", "bf16"}) {
    const auto precision = parse_precision(name);
    ASSERT_TRUE(precision) << name;
    EXPECT_EQ(to_text(*precision), name);
  }
}

TEST(Description, An_unknown_name_is_refused_with_those_there_are) {
  const auto optimizer = parse_optimizer("lion");
  ASSERT_FALSE(optimizer);
  EXPECT_EQ(optimizer.error().what, "unknown optimizer 'lion'");
  EXPECT_EQ(optimizer.error().hint, "Use one of: sgd, momentum, adam, adamw, rmsprop, adagrad, adafactor.");
  const auto precision = parse_precision("");
  ASSERT_FALSE(precision);
  EXPECT_EQ(precision.error().hint, "Use one of: fp32, bf16-amp, fp16-amp, bf16.");
}

}  // namespace
}  // namespace dryfit::predictor
