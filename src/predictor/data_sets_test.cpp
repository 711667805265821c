// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/data_sets.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

bool is_kept(std::string_view set, std::string_view protocol) { return (*find_data_set(set))->is_held_out(protocol); }

TEST(DataSets, What_is_kept_for_the_last_test_is_known) {
  EXPECT_FALSE(is_kept("timm-memory", "module5_s0"));
  EXPECT_FALSE(is_kept("timm-memory", "model5_s0"));
  EXPECT_TRUE(is_kept("timm-memory", "module5_s2"));
  EXPECT_TRUE(is_kept("timm-memory", "model5_s1"));
  EXPECT_TRUE(is_kept("timm-memory", "family5_s0"));
  EXPECT_FALSE(is_kept("schedtune", "random10_s0"));
  EXPECT_TRUE(is_kept("schedtune", "random10_s1"));
  EXPECT_FALSE(is_kept("llm-foundry", "gpu3"));
  EXPECT_TRUE(is_kept("timm-throughput", "module5_s1"));
}

TEST(DataSets, An_unknown_name_is_answered_with_the_known_ones) {
  const auto set = find_data_set("imagenet");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().what, "unknown data set 'imagenet'");
  const auto data = read_data_set(**find_data_set("llm-foundry"), {.folder = "/nonexistent"}, "model9", "all");
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().hint, "Use one of: physics, observed-fp8.");
}

TEST(DataSets, A_folder_without_tables_is_named) {
  for (const auto& set : all_data_sets()) {
    const auto data = read_data_set(set, {.folder = "/nonexistent"}, set.open_folds.front(), set.features.front());
    ASSERT_FALSE(data) << set.name;
    EXPECT_TRUE(data.error().what.starts_with("/nonexistent/")) << data.error().what;
  }
}

}  // namespace
}  // namespace dryfit::predictor
