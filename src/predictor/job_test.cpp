// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job.h"

#include <gtest/gtest.h>

#include <limits>

#include "predictor/testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_job;

std::string problem_of(const Job& job) {
  const auto status = check(job);
  return status ? "" : status.error().what;
}

TEST(Job, A_sensible_job_passes) { EXPECT_EQ(problem_of(sample_job()), ""); }

TEST(Job, A_batch_of_zero_is_refused) {
  auto job = sample_job();
  job.batch = 0;
  EXPECT_EQ(problem_of(job), "the job's 'batch' is 0.000000");
}

TEST(Job, A_NaN_is_refused_anywhere) {
  auto job = sample_job();
  job.gmacs = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem_of(job), "the job's 'gmacs' is nan");
  job = sample_job();
  job.blocks[1][BlockField::n_norm] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(problem_of(job), "the job's block 1: 'n_norm' is inf");
  job.blocks[1][BlockField::n_norm] = -1;
  EXPECT_EQ(problem_of(job), "the job's block 1: 'n_norm' is -1.000000");
}

TEST(Job, More_blocks_than_a_network_reads_are_refused) {
  auto job = sample_job();
  job.blocks.resize(kMostBlocks + 1);
  EXPECT_EQ(problem_of(job), "the job has 17 blocks, more than 16");
}

TEST(Job, The_fields_are_named_like_their_columns) {
  EXPECT_EQ(to_text(BlockField::run), "run");
  EXPECT_EQ(to_text(BlockField::max_conv_bytes), "max_conv_bytes");
  EXPECT_EQ(to_text(BlockField::max_channels), "max_channels");
}

}  // namespace
}  // namespace dryfit::predictor
