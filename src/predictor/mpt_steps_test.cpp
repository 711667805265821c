// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/mpt_steps.h"

#include <gtest/gtest.h>

#include "predictor/compute_testing.h"

namespace dryfit::predictor {
namespace {

constexpr const char* kHeading =
    "Model,SeqLen (T),# GPUs,GPU,MicroBatchSize,GradAccum,Throughput (T/s/GPU),Precision,Activation "
    "Checkpointing,NumParams\n";

Result<std::vector<ComputeExample>> steps(const std::string& rows) {
  return mpt_steps(std::move(parse_table(kHeading + rows, "runs.csv")).value(), 5, testing::all_cards());
}

TEST(MptSteps, A_row_becomes_a_micro_batch_on_one_card) {
  const auto examples = steps("1b,2048,8,h100_80gb,12,4,20480,amp_bf16,True,1315950592\n");
  ASSERT_TRUE(examples) << examples.error().what;
  const auto& step = examples->front();
  EXPECT_EQ(step.gpu, "h100-80gb");
  EXPECT_EQ(step.job.batch, 12);
  EXPECT_EQ(step.job.precision, Precision::bf16_amp);
  EXPECT_TRUE(step.job.checkpointing);
  EXPECT_NEAR(step.seconds, 1.2, 1e-12);
  EXPECT_EQ(step.optimizer_share, 1.0 / 32);
  EXPECT_EQ(step.group, "mpt-1b");
  EXPECT_EQ(step.fold, 3u);
}

TEST(MptSteps, Many_nodes_and_floats_of_8_bits_are_left_out) {
  const auto examples = steps(
      "1b,2048,16,h100_80gb,12,4,20480,amp_bf16,True,1315950592\n"
      "1b,2048,8,h100_80gb,12,4,20480,amp_fp8,True,1315950592\n"
      "7b,2048,8,a100_40gb,12,4,2048,bf16,False,6658859008\n");
  ASSERT_TRUE(examples) << examples.error().what;
  ASSERT_EQ(examples->size(), 1u);
  EXPECT_EQ(examples->front().row, 2u);
  EXPECT_FALSE(examples->front().job.checkpointing);
}

TEST(MptSteps, Widths_and_depths_give_the_parameters_of_the_table) {
  const std::pair<const char*, double> sizes[] = {{"125m", 125311488},   {"350m", 355985408},   {"760m", 760470528},
                                                  {"1b", 1315950592},    {"3b", 2651837440},    {"7b", 6658859008},
                                                  {"13b", 12853954560.}, {"30b", 29975214080.}, {"70b", 64862437376.}};
  for (const auto& [name, parameters] : sizes) {
    const auto model = mpt_model(name, 2048, parameters);
    ASSERT_TRUE(model) << model.error().what;
    double bytes = 0;
    for (const auto& block : model->blocks) bytes += block[BlockField::param_bytes];
    EXPECT_NEAR(bytes / 4 / parameters, 1, 0.03) << name;
    EXPECT_GT(model->flops, 6 * 2048 * 0.95 * parameters) << name;
  }
}

TEST(MptSteps, An_unknown_size_and_an_unknown_GPU_are_named_with_their_line) {
  EXPECT_EQ(steps("2b,2048,8,h100_80gb,12,4,20480,amp_bf16,True,1e9\n").error().what,
            "runs.csv:2: unknown MPT size '2b'");
  EXPECT_EQ(steps("1b,2048,8,v100,12,4,20480,amp_bf16,True,1e9\n").error().what,
            "runs.csv:2: the GPU 'v100' is unknown");
}

}  // namespace
}  // namespace dryfit::predictor
