// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/llm_foundry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dryfit::predictor {
namespace {

constexpr std::string_view kHeader =
    "Model,SeqLen (T),# GPUs,GPU,Model TFLOP,MicroBatchSize,GradAccum,GlobalBatchSize,Precision,MP Mode,"
    "Sharding Strategy,Activation Checkpointing,NumParams\n";
constexpr std::string_view kRuns =
    "1b,2000,8,a100_40gb,150,4,2,64,amp_bf16,DEFAULT,FULL_SHARD,False,1000000000\n"
    "1b,2000,16,h100_80gb,400,4,2,128,amp_fp8,PURE,SHARD_GRAD_OP,True,1000000000\n"
    "7b,2000,16,a100_80gb,120,1,2,32,amp_bf16,DEFAULT,FULL_SHARD,True,7000000000\n";

Result<DataSet> read(std::string_view protocol, Fp8 fp8 = Fp8::datasheet, std::string_view runs = kRuns) {
  const auto table = parse_table(std::string(kHeader) + std::string(runs), "runs.csv");
  const auto folds = parse_table("row,model9,gpu3\n0,0,0\n1,0,1\n2,1,2\n", "folds.csv");
  EXPECT_TRUE(table && folds);
  return llm_foundry_set(*table, *folds, protocol, fp8);
}

double named(const DataSet& data, std::size_t place, std::string_view name) {
  const auto found = std::ranges::find(data.feature_names, name);
  EXPECT_NE(found, data.feature_names.end()) << name;
  return data.examples[place].features[static_cast<std::size_t>(found - data.feature_names.begin())];
}

TEST(LlmFoundry, The_base_knows_links_checkpointing_and_precision) {
  const auto data = read("model9");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_NEAR(data->bases[0][0], 0.6 * 312 / (1 + 0.05 * 312e12 / (300e9 * 8000)), 1e-9);
  EXPECT_NEAR(data->bases[0][1], 0.6 * 1979 * 0.75 / (1 + 0.05 * 1979e12 / (50e9 * 8000)), 1e-9);
  EXPECT_NEAR(data->bases[0][2], 0.6 * 312 * 0.75 / (1 + 0.05 * 312e12 / (25e9 * 2000)), 1e-9);
  EXPECT_EQ(data->bases[0], data->bases[1]);
}

TEST(LlmFoundry, Another_gain_of_eight_bits_changes_only_such_runs) {
  const auto twice = read("model9");
  const auto observed = read("model9", Fp8::observed);
  ASSERT_TRUE(twice && observed);
  EXPECT_EQ(observed->bases[0][0], twice->bases[0][0]);
  EXPECT_LT(observed->bases[0][1], twice->bases[0][1]);
}

TEST(LlmFoundry, Twelve_features_are_of_the_job_and_three_of_physics) {
  const auto data = read("model9");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->feature_names.size(), 15u);
  EXPECT_EQ(named(*data, 1, "Precision = amp_fp8"), 1);
  EXPECT_EQ(named(*data, 0, "Precision = amp_fp8"), 0);
  EXPECT_NEAR(named(*data, 1, "log peak"), std::log(989.5), 1e-12);
  EXPECT_NEAR(named(*data, 0, "log tokens"), std::log(8000), 1e-12);
  EXPECT_NEAR(named(*data, 0, "log base"), std::log(data->bases[0][0]), 1e-12);
  EXPECT_NEAR(named(*data, 2, "log communication"), std::log(6.24), 1e-12);
}

TEST(LlmFoundry, Groups_are_GPUs_where_the_folds_keep_them_apart_else_sizes) {
  EXPECT_EQ(read("model9")->groups(), (std::vector<std::string>{"1b", "1b", "7b"}));
  EXPECT_EQ(read("gpu3")->groups(), (std::vector<std::string>{"a100_40gb", "h100_80gb", "a100_80gb"}));
}

TEST(LlmFoundry, A_GPU_that_is_not_known_is_refused_with_its_line) {
  std::string runs(kRuns);
  runs.replace(runs.find("h100_80gb"), 9, "b200");
  EXPECT_EQ(read("model9", Fp8::datasheet, runs).error().what, "runs.csv:3: the GPU 'b200' is unknown");
}

}  // namespace
}  // namespace dryfit::predictor
