// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace dryfit::cli {
namespace {

std::vector<HarvestJob> jobs(std::size_t count) {
  std::vector<HarvestJob> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back({.source = "torchvision",
                      .model = i % 2 == 0 ? "resnet18" : "alexnet",
                      .batch = static_cast<std::int64_t>(i + 1),
                      .size = i % 3 == 0 ? 0 : 64,
                      .optimizer = "adamw",
                      .precision = "bf16-amp",
                      .checkpointing = i % 2 == 1,
                      .card = "rtx-3060-12gb"});
  }
  return result;
}

TEST(HarvestShares, Every_job_is_in_one_share_and_shares_are_alike) {
  const auto all = jobs(11);
  const auto shares = shares_of(all, 4);
  ASSERT_EQ(shares.size(), 4u);
  std::multiset<HarvestJob> dealt;
  for (const auto& share : shares) {
    EXPECT_GE(share.size(), 2u);
    EXPECT_LE(share.size(), 3u);
    dealt.insert(share.begin(), share.end());
  }
  EXPECT_EQ(dealt, std::multiset<HarvestJob>(all.begin(), all.end()));
}

TEST(HarvestShares, No_share_is_empty) {
  EXPECT_EQ(shares_of(jobs(3), 8).size(), 3u);
  EXPECT_TRUE(shares_of({}, 8).empty());
}

TEST(HarvestShares, A_share_as_a_grid_is_the_same_jobs) {
  const auto share = jobs(6);
  const auto products = parse_grid(grid_text(share), true, "share.json");
  ASSERT_TRUE(products) << products.error().what;
  auto expanded = expand(*products, {"2.6.0", {{"torchvision", {"alexnet", "resnet18"}}}}, true);
  ASSERT_TRUE(expanded) << expanded.error().what;
  std::ranges::sort(*expanded);
  auto expected = share;
  std::ranges::sort(expected);
  EXPECT_EQ(*expanded, expected);
}

}  // namespace
}  // namespace dryfit::cli
