// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/torch_version.h"

#include <gtest/gtest.h>

namespace dryfit::simulator {
namespace {

TEST(TorchVersion, Is_read_from_what_torch_version_says) {
  EXPECT_EQ(*parse_torch_version("2.6"), (TorchVersion{2, 6, 0}));
  EXPECT_EQ(*parse_torch_version("1.13.1"), (TorchVersion{1, 13, 1}));
  EXPECT_EQ(*parse_torch_version("2.6.0+cu124"), (TorchVersion{2, 6, 0}));
  EXPECT_EQ(*parse_torch_version("2.1.x+cu118"), (TorchVersion{2, 1, 0}));
  EXPECT_EQ(*parse_torch_version("2.15.0a0(main ec30410a944)"), (TorchVersion{2, 15, 0}));
  EXPECT_EQ(*parse_torch_version("main"), TorchVersion::newest());
}

TEST(TorchVersion, What_is_not_a_version_is_refused) {
  for (const char* text : {"", "two", "2", "2.", "-2.6", ".6"}) EXPECT_FALSE(parse_torch_version(text)) << text;
  EXPECT_FALSE(parse_torch_version("1.12.1")) << "older than the model";
}

TEST(TorchVersion, Ties_are_broken_by_address_up_to_2_11_and_by_segment_since_2_13) {
  EXPECT_EQ((TorchVersion{2, 11, 0}.tie_break()), TieBreak::kAddress);
  EXPECT_EQ((TorchVersion{2, 12, 0}.tie_break()), TieBreak::kBlockCounter);
  EXPECT_EQ((TorchVersion{2, 13, 0}.tie_break()), TieBreak::kSegmentOrder);
}

TEST(TorchVersion, Versions_newer_than_the_newest_known_are_recognised) {
  EXPECT_FALSE(TorchVersion::newest().is_beyond_newest());
  EXPECT_FALSE((TorchVersion{2, 15, 3}).is_beyond_newest());
  EXPECT_TRUE((TorchVersion{2, 16, 0}).is_beyond_newest());
  EXPECT_TRUE((TorchVersion{9, 9, 0}).is_beyond_newest());
}

}  // namespace
}  // namespace dryfit::simulator
