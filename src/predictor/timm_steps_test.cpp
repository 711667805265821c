// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_steps.h"

#include <gtest/gtest.h>

#include "predictor/compute_testing.h"

namespace dryfit::predictor {
namespace {

Table table(const std::string& text, const char* name) { return std::move(parse_table(text, name)).value(); }

/// The fields of every block are all 2.
std::string blocks_of(const std::vector<std::string>& places) {
  std::string text = "model,img,token";
  for (std::size_t i = 0; i < kBlockFields; ++i) text += "," + std::string(to_text(static_cast<BlockField>(i)));
  for (const auto& place : places) {
    text += "\n" + place;
    for (std::size_t i = 0; i < kBlockFields; ++i) text += ",2";
  }
  return text + "\n";
}

Result<std::vector<ComputeExample>> steps(const std::string& measured) {
  return timm_steps({.measured = table(measured, "measured.csv"),
                     .features = table("row,model,module,batch,img,params,layers,gmacs,roof_gf\n"
                                       "0,a,resnet,8,224,5,50,10,10000\n"
                                       "2,c,vit,16,224,5,50,10,20000\n",
                                       "features.csv"),
                     .folds = table("row,module5_s0\n0,0\n1,0\n2,1\n", "folds.csv"),
                     .blocks = table(blocks_of({"a,224,0", "a,224,1", "c,224,0"}), "blocks.csv")},
                    "module5_s0", testing::all_cards());
}

TEST(TimmSteps, A_row_becomes_a_job_on_an_RTX_3090) {
  const auto examples = steps("model,train_samples_per_sec,param_count\na,100,5\nb,200,5\nc,400,5.01\n");
  ASSERT_TRUE(examples) << examples.error().what;
  ASSERT_EQ(examples->size(), 2u);
  const auto& first = examples->front();
  EXPECT_EQ(first.gpu, "rtx-3090-24gb");
  EXPECT_EQ(first.job.compute_capability, 8.6);
  EXPECT_EQ(first.job.batch, 8);
  EXPECT_EQ(first.job.precision, Precision::fp16_amp);
  EXPECT_EQ(first.job.optimizer, Optimizer::momentum);
  EXPECT_EQ(first.job.model.parameter_bytes, 20e6);
  EXPECT_EQ(first.job.model.blocks.size(), 2u);
  EXPECT_EQ(first.job.model.forward_bytes, 4);
  EXPECT_EQ(first.seconds, 0.08);
  EXPECT_EQ(first.group, "resnet");
  EXPECT_EQ(first.fold, 0u);
  EXPECT_NEAR(achieved_tflops(first, first.seconds), 6, 1e-9);
  EXPECT_EQ(examples->back().row, 2u);
  EXPECT_EQ(examples->back().fold, 1u);
}

TEST(TimmSteps, A_name_that_means_another_model_today_is_recognized_by_its_parameters) {
  const auto examples = steps("model,train_samples_per_sec,param_count\na,100,5\nb,200,5\nc,400,20\n");
  ASSERT_TRUE(examples) << examples.error().what;
  EXPECT_TRUE(examples->front().described);
  EXPECT_FALSE(examples->back().described);
}

TEST(TimmSteps, A_throughput_that_is_not_a_number_is_named) {
  const auto examples = steps("model,train_samples_per_sec,param_count\na,nan,5\nb,200,5\nc,400,20\n");
  ASSERT_FALSE(examples);
  EXPECT_NE(examples.error().what.find("measured.csv:2"), std::string::npos) << examples.error().what;
}

}  // namespace
}  // namespace dryfit::predictor
