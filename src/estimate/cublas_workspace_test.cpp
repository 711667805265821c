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

TEST(CublasWorkspace, An_invalid_value_requests_nothing) {
  for (const auto* text : {"", "4096:2", ":4096", ":4096:2:", ":a:b", "none"}) {
    EXPECT_EQ(configured_workspace(text), std::nullopt) << text;
  }
}

TEST(CublasWorkspace, A_handle_has_memory_of_its_own_by_configuration_and_chip) {
  const simulator::TorchVersion older{2, 6, 0}, newer{2, 15, 0};
  EXPECT_EQ(memory_of_handle("", {8, 6}, older), 8_MiB);
  EXPECT_EQ(memory_of_handle("", {9, 0}, older), 64_MiB);
  EXPECT_EQ(memory_of_handle("", {10, 0}, older), 32_MiB);
  EXPECT_EQ(memory_of_handle("", {10, 0}, newer), 64_MiB);
  EXPECT_EQ(memory_of_handle(":4096:8", {9, 0}, older), 32_MiB);
  EXPECT_EQ(memory_of_handle(":1024:4", {8, 6}, newer), 4_MiB);
  EXPECT_EQ(memory_of_handle(":16:8", {8, 6}, older), 0_B);
  EXPECT_EQ(memory_of_handle(":0:0", {8, 6}, older), 0_B);
}

}  // namespace
}  // namespace dryfit::estimate
