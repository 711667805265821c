// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/cublas_workspace.h"

#include <gtest/gtest.h>

namespace dryfit::estimate {
namespace {

using namespace literals;

TEST(CublasWorkspace, Sizes_times_counts_are_added_up) {
  EXPECT_EQ(configured_workspace(":4096:2:16:8"), 8_MiB + 128_KiB);
  EXPECT_EQ(configured_workspace(":16:8"), 128_KiB);
  EXPECT_EQ(configured_workspace(":0:0"), 0_B);
}

TEST(CublasWorkspace, What_is_not_understood_asks_for_nothing) {
  for (const auto* text : {"", "4096:2", ":4096", ":4096:2:", ":a:b", "none"}) {
    EXPECT_EQ(configured_workspace(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dryfit::estimate
