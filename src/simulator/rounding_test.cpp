// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/rounding.h"

#include <gtest/gtest.h>

namespace dryfit::simulator {
namespace {

using namespace literals;

Bytes rounded(std::uint64_t request, const char* conf, TorchVersion version = TorchVersion::newest()) {
  return SizeRounding(*parse_alloc_config(conf, version), version)(Bytes{request});
}

TEST(Rounding, Goes_up_to_a_multiple_of_512) {
  EXPECT_EQ(rounded(1, ""), 512_B);
  EXPECT_EQ(rounded(512, ""), 512_B);
  EXPECT_EQ(rounded(513, ""), 1024_B);
}

TEST(Rounding, Divisions_are_equal_steps_between_powers_of_two) {
  EXPECT_EQ(rounded(1200 << 10, "roundup_power2_divisions:4"), 1280_KiB);
  EXPECT_EQ(rounded(1 << 20, "roundup_power2_divisions:4"), 1_MiB);
  EXPECT_EQ(rounded(2048, "roundup_power2_divisions:4"), 2048_B) << "too small for four steps of 512";
  EXPECT_EQ(rounded(2049, "roundup_power2_divisions:4"), 2560_B);
}

TEST(Rounding, One_division_does_not_round_before_2_4) {
  EXPECT_EQ(rounded(513, "roundup_power2_divisions:1", {2, 3, 0}), 513_B);
  EXPECT_EQ(rounded(513, "roundup_power2_divisions:1", {2, 4, 0}), 1024_B);
}

TEST(Rounding, Torch_1_13_leaves_large_requests_out_of_divisions) {
  const char* conf = "roundup_power2_divisions:2,roundup_bypass_threshold_mb:1";
  EXPECT_EQ(rounded((1 << 20) - 1, conf, {1, 13, 1}), 1_MiB);
  EXPECT_EQ(rounded((1 << 20) + 1, conf, {1, 13, 1}), Bytes{(1 << 20) + 512});
}

TEST(Rounding, Segments_are_2_MiB_20_MiB_or_as_large_as_the_request) {
  EXPECT_EQ(get_allocation_size(1_MiB, 20_MiB), 2_MiB);
  EXPECT_EQ(get_allocation_size(Bytes{(1 << 20) + 512}, 20_MiB), 20_MiB);
  EXPECT_EQ(get_allocation_size(10_MiB, 20_MiB), 10_MiB);
  EXPECT_EQ(get_allocation_size(11_MiB, 20_MiB), 12_MiB);
}

}  // namespace
}  // namespace dryfit::simulator
