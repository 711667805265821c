// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "predictor/testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_job;

double named(const Job& job, std::string_view name) {
  const auto names = feature_names(FeatureSet::layers);
  const auto found = std::ranges::find(names, name);
  EXPECT_NE(found, names.end()) << name;
  return features_of(job, FeatureSet::layers)[static_cast<std::size_t>(found - names.begin())];
}

TEST(Features, The_plain_ones_are_logarithms_of_the_job) {
  const auto features = features_of(sample_job(), FeatureSet::plain);
  ASSERT_EQ(features.size(), 8u);
  const double expected[] = {4, 224, 25, 4, 11, 44, 16, 1000};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(features[i], std::log(expected[i])) << i;
}

TEST(Features, Every_feature_has_a_name_of_its_own) {
  for (const auto set : {FeatureSet::plain, FeatureSet::layers}) {
    auto names = feature_names(set);
    EXPECT_EQ(names.size(), feature_count(set));
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  }
  EXPECT_EQ(features_of(sample_job(), FeatureSet::layers).size(), 39u);
}

TEST(Features, Blocks_are_summed_counted_and_held_against_each_other) {
  const auto job = sample_job();  // fields i of the blocks are 1 + i and 100 + i
  EXPECT_DOUBLE_EQ(named(job, "log1p tokens"), std::log(1 + 2));
  EXPECT_DOUBLE_EQ(named(job, "log1p blocks"), std::log(1 + 1 + 100));
  EXPECT_DOUBLE_EQ(named(job, "log1p saved_bytes"), std::log(1 + 2 + 101));
  EXPECT_DOUBLE_EQ(named(job, "log1p max_out_bytes"), std::log(1 + 102));
  EXPECT_DOUBLE_EQ(named(job, "log1p largest block's saved_bytes"), std::log(1 + 101));
  EXPECT_DOUBLE_EQ(named(job, "log1p two largest max_conv_bytes"), std::log(1 + 15 + 114));
  EXPECT_DOUBLE_EQ(named(job, "log1p batch * saved_bytes"), std::log(1 + 4 * (2 + 101)));
  EXPECT_DOUBLE_EQ(named(job, "log1p batch * max_depthwise_bytes"), std::log(1 + 4 * 116));
}

TEST(Features, A_job_without_blocks_has_zeros_in_their_place) {
  auto job = sample_job();
  job.blocks.clear();
  const auto features = features_of(job, FeatureSet::layers);
  EXPECT_TRUE(std::all_of(features.begin() + 8, features.end(), [](double x) { return x == 0; }));
  EXPECT_TRUE(block_tokens_of({job.blocks, job.batch}).empty());
}

TEST(Features, A_block_token_grows_with_the_batch_where_the_memory_does) {
  const auto job = sample_job();
  const auto tokens = block_tokens_of({job.blocks, job.batch});
  ASSERT_EQ(tokens.size(), 2 * kBlockFields);
  EXPECT_DOUBLE_EQ(tokens[0], std::log(1 + 1));                       // run
  EXPECT_DOUBLE_EQ(tokens[1], std::log(1 + 4 * 2));                   // saved_bytes
  EXPECT_DOUBLE_EQ(tokens[3], std::log(1 + 4));                       // param_bytes
  EXPECT_DOUBLE_EQ(tokens[kBlockFields + 4], std::log(1 + 4 * 104));  // macs
  EXPECT_DOUBLE_EQ(tokens[kBlockFields + 24], std::log(1 + 124));     // max_channels
}

}  // namespace
}  // namespace dryfit::predictor
