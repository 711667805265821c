// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/convolution_workspace.h"

#include <gtest/gtest.h>

namespace dryfit::estimate {
namespace {

constexpr const char* kHeader =
    "type,layout,in_channels,height,width,out_channels,kernel_height,kernel_width,stride,padding,dilation,groups,"
    "batches,"
    "forward,input_gradient,weight_gradient\n";

// x and y have 32 × 32 × 64 elements an image, the weight has 64 × 64 × 9.
constexpr std::int64_t kImage = 4 * 64 * 32 * 32;
constexpr std::int64_t kWeight = 4 * 64 * 64 * 9;

Convolution square(std::int64_t batch) {
  return {.type = "float",
          .in_channels = 64,
          .height = 32,
          .width = 32,
          .out_channels = 64,
          .kernel_height = 3,
          .kernel_width = 3,
          .padding = 1,
          .batch = batch};
}

WorkspaceTable table() {
  const auto forward = std::to_string(8 * kImage + 8 * kImage + kWeight + 16);
  const auto weight = std::to_string(8 * kWeight);
  const auto found = WorkspaceTable::parse(std::string(kHeader) + "float,contiguous,64,32,32,64,3,3,1,1,1,1,4 8,0 " +
                                               forward + ",0 11136,0 " + weight + "\n",
                                           "t");
  return found.value();
}

TEST(Workspaces, A_convolution_in_the_table_is_exact_to_the_byte) {
  EXPECT_EQ(table().workspace(square(4), Pass::forward)->count, 0u);
  EXPECT_EQ(table().workspace(square(8), Pass::forward)->count, static_cast<std::uint64_t>(16 * kImage + kWeight + 16));
}

TEST(Workspaces, Between_two_batches_with_the_same_plan_it_lies_in_between) {
  const auto bytes = [](std::int64_t batch) { return std::to_string(2 * batch * kImage + 16); };
  const auto found = WorkspaceTable::parse(
      std::string(kHeader) + "float,contiguous,64,32,32,64,3,3,1,1,1,1,4 8," + bytes(4) + " " + bytes(8) + ",0 0,0 0\n",
      "t");
  ASSERT_TRUE(found);
  EXPECT_EQ(std::to_string(found->workspace(square(5), Pass::forward)->count), bytes(5));
}

TEST(Workspaces, A_batch_goes_by_the_nearest_that_is_divisible_by_as_much) {
  const auto large = std::to_string(512 * kImage);
  const auto found = WorkspaceTable::parse(
      std::string(kHeader) + "float,contiguous,64,32,32,64,3,3,1,1,1,1,475 512,0 " + large + ",0 0,0 0\n", "t");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->workspace(square(503), Pass::forward)->count, 0u);
  EXPECT_EQ(found->workspace(square(496), Pass::forward)->count, static_cast<std::uint64_t>(496 * kImage));
}

TEST(Workspaces, At_another_batch_the_parts_grow_that_depend_on_it) {
  EXPECT_NEAR(static_cast<double>(table().workspace(square(10), Pass::forward)->count),
              static_cast<double>(20 * kImage + kWeight), 64);
  EXPECT_EQ(table().workspace(square(10), Pass::input_gradient)->count, 11136u);
  EXPECT_EQ(table().workspace(square(10), Pass::weight_gradient)->count, static_cast<std::uint64_t>(10 * kWeight));
}

TEST(Workspaces, For_an_unknown_kind_the_nearest_is_a_guess) {
  EXPECT_TRUE(table().knows_kind_of(square(4)));
  auto other = square(4);
  other.kernel_height = 5;
  EXPECT_TRUE(table().workspace(other, Pass::forward));
  EXPECT_FALSE(table().knows_kind_of(other));
  other.channels_last = !other.channels_last;
  EXPECT_FALSE(table().workspace(other, Pass::forward));
}

TEST(Workspaces, A_damaged_table_names_its_line) {
  const auto found = WorkspaceTable::parse(std::string(kHeader) + "float,contiguous,64\n", "8.6.csv");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("8.6.csv:2"), std::string::npos);
}

TEST(Workspaces, The_tables_of_the_repository_can_be_read_and_a_chip_without_one_gets_that_of_the_next_older) {
  const ComputeCapability chips[] = {{7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {12, 0}};
  const auto all = Workspaces::load(std::filesystem::path(DRYFIT_SOURCE_DIR) / "data/convolutions", chips);
  ASSERT_TRUE(all);
  ASSERT_TRUE(all->knows({8, 6}));
  EXPECT_EQ(all->of({8, 7}), all->of({8, 6}));
  EXPECT_NE(all->of({8, 6}), all->of({8, 9}));
  EXPECT_EQ(all->of({7, 0}), all->of({7, 5}));
  EXPECT_EQ(all->of({12, 0}), all->of({9, 0}));
}

TEST(Workspaces, PyTorchs_own_depthwise_kernels_have_none) {
  auto depthwise = square(4);
  depthwise.groups = 64;
  EXPECT_TRUE(is_native_depthwise(depthwise));
  depthwise.channels_last = true;
  EXPECT_FALSE(is_native_depthwise(depthwise));
}

}  // namespace
}  // namespace dryfit::estimate
