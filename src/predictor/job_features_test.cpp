// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "predictor/job_model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_description;

double named(const JobDescription& job, std::string_view name) {
  const auto names = job_feature_names(Knowledge::layers);
  const auto found = std::ranges::find(names, name);
  EXPECT_NE(found, names.end()) << name;
  const auto features = job_features_of(job, Knowledge::layers, job_terms(job, Knowledge::layers), 500);
  return features[static_cast<std::size_t>(found - names.begin())];
}

TEST(JobFeatures, Every_feature_has_a_name_of_its_own) {
  for (const auto knowledge : kAllKnowledge) {
    auto names = job_feature_names(knowledge);
    EXPECT_EQ(names.size(), job_feature_count(knowledge));
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  }
}

TEST(JobFeatures, A_job_is_its_numbers_its_terms_its_flags_and_its_blocks) {
  const auto job = sample_description();
  EXPECT_DOUBLE_EQ(named(job, "log batch"), std::log(4));
  EXPECT_DOUBLE_EQ(named(job, "log base estimate"), std::log(500));
  EXPECT_DOUBLE_EQ(named(job, "compute capability"), 8.9);
  EXPECT_DOUBLE_EQ(named(job, "log1p term 2"), std::log1p(25));
  EXPECT_DOUBLE_EQ(named(job, "adam"), 1);
  EXPECT_DOUBLE_EQ(named(job, "sgd"), 0);
  EXPECT_DOUBLE_EQ(named(job, "fp32"), 1);
  EXPECT_DOUBLE_EQ(named(job, "checkpointing"), 0);
  EXPECT_DOUBLE_EQ(named(job, "log1p blocks"), std::log1p(3));
}

TEST(JobFeatures, The_flags_stand_where_the_measures_end) {
  const auto names = job_feature_names(Knowledge::outline);
  EXPECT_EQ(names[kJobMeasures], "sgd");
  EXPECT_EQ(names[kJobMeasures + kJobFlags - 1], "checkpointing");
}

}  // namespace
}  // namespace dryfit::predictor
