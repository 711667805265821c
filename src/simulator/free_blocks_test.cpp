// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/free_blocks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace dryfit::simulator {
namespace {

TEST(FreeBlocks, The_smallest_that_is_large_enough_is_found) {
  FreeBlocks free;
  free.insert(Bytes{1024}, 1, 10);
  free.insert(Bytes{4096}, 2, 20);
  EXPECT_EQ(free[free.lower_bound(Bytes{1})], 10u);
  EXPECT_EQ(free[free.lower_bound(Bytes{1024})], 10u);
  EXPECT_EQ(free[free.lower_bound(Bytes{1025})], 20u);
  EXPECT_FALSE(free.lower_bound(Bytes{4097}));
}

TEST(FreeBlocks, Among_equal_sizes_the_lowest_order_comes_first) {
  FreeBlocks free;
  free.insert(Bytes{512}, 3, 30);
  free.insert(Bytes{512}, 1, 10);
  free.insert(Bytes{512}, 2, 20);
  EXPECT_EQ(free[free.begin()], 10u);
  free.erase(Bytes{512}, 1);
  EXPECT_EQ(free[free.lower_bound(Bytes{512})], 20u);
}

TEST(FreeBlocks, An_empty_set_has_neither_beginning_nor_end) {
  const FreeBlocks free;
  EXPECT_FALSE(free.begin());
  EXPECT_FALSE(free.last());
  EXPECT_FALSE(free.lower_bound(Bytes{1}));
}

TEST(FreeBlocks, Behaves_like_an_ordered_set_also_with_many_of_one_size) {
  FreeBlocks free;
  std::set<std::tuple<std::uint64_t, std::uint64_t, BlockIndex>> model;
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::uint64_t size = random() % 4 == 0 ? 512 * (1 + random() % 5000) : 700 + random() % 3;
    if (random() % 3 > 0 || model.empty()) {
      free.insert(Bytes{size}, i, i);
      model.emplace(size, i, i);
    } else {
      const auto gone = *std::next(model.begin(), static_cast<long>(random() % model.size()));
      free.erase(Bytes{std::get<0>(gone)}, std::get<1>(gone));
      model.erase(gone);
    }
    const auto wanted = model.lower_bound({size, 0, 0});
    const auto got = free.lower_bound(Bytes{size});
    ASSERT_EQ(static_cast<bool>(got), wanted != model.end());
    if (got) {
      ASSERT_EQ(free[got], std::get<2>(*wanted));
    }
  }
  auto position = free.begin();
  for (const auto& entry : model) {
    ASSERT_EQ(free[position], std::get<2>(entry));
    position = free.next(position);
  }
  EXPECT_FALSE(position);
  position = free.last();
  for (auto entry = model.rbegin(); entry != model.rend(); ++entry) {
    ASSERT_EQ(free[position], std::get<2>(*entry));
    position = free.previous(position);
  }
  EXPECT_FALSE(position);
}

}  // namespace
}  // namespace dryfit::simulator
