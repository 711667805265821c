// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/small_pages.h"

#include <gtest/gtest.h>

namespace dryfit::driver {
namespace {

using namespace literals;

constexpr Address kPageA = 1ull << 30;

TEST(SmallPages, An_empty_set_has_no_place) { EXPECT_FALSE(SmallPages().take(512_B)); }

TEST(SmallPages, Requests_share_a_page_until_it_is_full) {
  SmallPages pages;
  EXPECT_EQ(pages.take_from_new_page(kPageA, 1_MiB), kPageA);
  EXPECT_EQ(pages.take(1_MiB), kPageA + (1_MiB).count);
  EXPECT_FALSE(pages.take(512_B));
}

TEST(SmallPages, A_page_is_released_only_with_its_last_request) {
  SmallPages pages;
  pages.take_from_new_page(kPageA, 512_B);
  const auto second = pages.take(1_KiB);
  EXPECT_FALSE(pages.give(kPageA, 512_B));
  EXPECT_EQ(pages.give(*second, 1_KiB), kPageA);
  EXPECT_FALSE(pages.take(512_B)) << "the page is gone";
}

TEST(SmallPages, Free_ranges_do_not_merge_across_a_page_border) {
  SmallPages pages;
  constexpr Address kPageB = kPageA + kPage.count;
  pages.take_from_new_page(kPageA, 1_MiB);
  pages.take_from_new_page(kPageB, 1_MiB);
  const auto tail = pages.take(1_MiB);
  ASSERT_EQ(tail, kPageA + (1_MiB).count);
  const auto other = pages.take(512_KiB);
  ASSERT_EQ(other, kPageB + (1_MiB).count);
  pages.give(*tail, 1_MiB);
  EXPECT_EQ(pages.give(kPageB, 1_MiB), std::nullopt);
  EXPECT_EQ(pages.give(kPageA, 1_MiB), kPageA);
  EXPECT_EQ(pages.give(*other, 512_KiB), kPageB);
}

}  // namespace
}  // namespace dryfit::driver
