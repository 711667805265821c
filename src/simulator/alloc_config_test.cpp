// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/alloc_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace dryfit::simulator {
namespace {

using namespace literals;

constexpr TorchVersion k1_13{1, 13, 1}, k2_0{2, 0, 0}, k2_6{2, 6, 0}, k2_9{2, 9, 0}, k2_10{2, 10, 0}, k2_15{2, 15, 0};

AllocConfig parsed(std::string_view text, TorchVersion version) {
  const auto config = parse_alloc_config(text, version);
  EXPECT_TRUE(config) << text << ": " << (config ? "" : config.error().what);
  return config ? *config : AllocConfig{};
}

bool refused(std::string_view text, TorchVersion version) { return !parse_alloc_config(text, version); }

TEST(AllocConfig, An_empty_string_leaves_the_defaults) {
  for (const TorchVersion version : {k1_13, k2_0, k2_6, k2_15}) EXPECT_EQ(parsed("", version), AllocConfig{});
}

TEST(AllocConfig, Several_options_are_read_and_blanks_ignored) {
  const AllocConfig config = parsed(" max_split_size_mb : 64, garbage_collection_threshold:0.8 ", k2_6);
  EXPECT_EQ(config.max_split_size, 64_MiB);
  EXPECT_EQ(config.garbage_collection_threshold, 0.8);
}

TEST(AllocConfig, Options_exist_from_their_version_on) {
  EXPECT_TRUE(refused("expandable_segments:True", k2_0));
  EXPECT_TRUE(parsed("expandable_segments:True", k2_6).expandable_segments);
  EXPECT_TRUE(refused("max_non_split_rounding_mb:64", {2, 5, 0}));
  EXPECT_TRUE(refused("per_process_memory_fraction:0.5", k2_9));
  EXPECT_EQ(parsed("per_process_memory_fraction:0.5", k2_10).per_process_memory_fraction, 0.5);
  EXPECT_TRUE(refused("large_segment_size_mb:64", k2_10));
  EXPECT_TRUE(refused("no_such_option:1", k2_15));
}

TEST(AllocConfig, The_least_max_split_size_became_allowed_in_2_10) {
  EXPECT_TRUE(refused("max_split_size_mb:20", k2_9));
  EXPECT_EQ(parsed("max_split_size_mb:20", k2_10).max_split_size, 20_MiB);
  EXPECT_TRUE(refused("max_split_size_mb:19", k2_10));
}

TEST(AllocConfig, A_negative_size_is_a_very_large_one) {
  EXPECT_EQ(parsed("max_split_size_mb:-1", k2_6).max_split_size.count, ~std::uint64_t{0} >> 20 << 20);
}

TEST(AllocConfig, Large_segments_are_read_before_what_they_bound) {
  const AllocConfig config = parsed("max_split_size_mb:64,large_segment_size_mb:64", k2_15);
  EXPECT_EQ(config.large_segment_size, 64_MiB);
  EXPECT_EQ(config.max_non_split_rounding_size, 64_MiB);
  EXPECT_TRUE(refused("max_split_size_mb:63,large_segment_size_mb:64", k2_15));
}

TEST(AllocConfig, The_first_interval_of_a_list_fills_those_below_and_the_last_those_above) {
  const auto divisions = parsed("roundup_power2_divisions:[4:8,16:4,>:2]", k2_10).roundup_power2_divisions;
  EXPECT_EQ(divisions[0], 8u);
  EXPECT_EQ(divisions[2], 8u);
  EXPECT_EQ(divisions[3], 0u) << "between two named intervals";
  EXPECT_EQ(divisions[4], 4u);
  EXPECT_EQ(divisions[5], 2u);
  EXPECT_EQ(divisions[15], 2u);
}

TEST(AllocConfig, Up_to_2_9_the_rest_of_a_list_overwrites_the_last_interval) {
  EXPECT_EQ(parsed("roundup_power2_divisions:[4:8,16:4,>:2]", k2_9).roundup_power2_divisions[4], 2u);
}

TEST(AllocConfig, Divisions_must_be_powers_of_two) {
  EXPECT_TRUE(refused("roundup_power2_divisions:3", k2_6));
  EXPECT_TRUE(refused("roundup_power2_divisions:[256:3]", k2_6));
  EXPECT_TRUE(refused("roundup_power2_divisions:[255:4]", k2_6));
  EXPECT_TRUE(refused("roundup_power2_divisions:[256:4", k2_6));
  EXPECT_TRUE(refused("roundup_power2_divisions:[256:4", k2_15));
}

TEST(AllocConfig, Since_2_10_anything_is_taken_for_a_separator) {
  EXPECT_TRUE(refused("max_split_size_mb,64", k2_9));
  EXPECT_EQ(parsed("max_split_size_mb,64", k2_10).max_split_size, 64_MiB);
}

TEST(AllocConfig, Torch_1_13_knows_the_bypass_threshold_and_ignores_what_has_no_value) {
  const AllocConfig config = parsed("roundup_power2_divisions:4 roundup_bypass_threshold_mb:100,odd", k1_13);
  EXPECT_EQ(config.roundup_power2_divisions[7], 4u);
  EXPECT_EQ(config.roundup_bypass_threshold, 100_MiB);
  EXPECT_TRUE(refused("roundup_bypass_threshold_mb:100", k2_0));
  EXPECT_TRUE(refused("odd:1", k1_13));
}

TEST(AllocConfig, Another_backend_is_refused_as_not_modelled) {
  EXPECT_FALSE(refused("backend:native", k2_6));
  const auto config = parse_alloc_config("backend:cudaMallocAsync", k2_6);
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().what.find("not modelled"), std::string::npos);
  EXPECT_EQ(config.error().hint.find("refuses"), std::string::npos);
}

TEST(AllocConfig, A_refusal_names_the_kind_of_error_that_pytorch_raises) {
  EXPECT_NE(parse_alloc_config("odd:1", k2_6).error().hint.find("RuntimeError"), std::string::npos);
  EXPECT_NE(parse_alloc_config("odd:1", k2_10).error().hint.find("ValueError"), std::string::npos);
  EXPECT_NE(parse_alloc_config("max_split_size_mb:", k2_10).error().hint.find("internal assert"), std::string::npos);
  EXPECT_NE(parse_alloc_config("max_split_size_mb:99999999999", k2_6).error().hint.find("IndexError"),
            std::string::npos);
}

TEST(AllocConfig, The_corpus_of_the_fuzzer_is_read_or_refused_with_a_reason) {
  for (const auto& entry : std::filesystem::directory_iterator(DRYFIT_SOURCE_DIR "/tests/fuzz/alloc_config")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const TorchVersion version : {k1_13, k2_0, k2_6, k2_9, k2_10, k2_15}) {
      const auto config = parse_alloc_config(std::string_view(text).substr(1), version);
      EXPECT_TRUE(config || !config.error().what.empty()) << entry.path();
    }
  }
}

}  // namespace
}  // namespace dryfit::simulator
