// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/address_space.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dryfit {
namespace {

using namespace literals;

constexpr Address kBegin = 1ull << 40;
constexpr Address kEnd = kBegin + (1_GiB).count;

TEST(AddressSpace, Ascending_hands_out_one_range_after_the_other) {
  AddressSpace space(kBegin, kEnd, AddressOrder::ascending);
  EXPECT_EQ(space.take(2_MiB), kBegin);
  EXPECT_EQ(space.take(20_MiB), kBegin + (2_MiB).count);
}

TEST(AddressSpace, Descending_hands_out_ranges_from_the_top) {
  AddressSpace space(kBegin, kEnd, AddressOrder::descending);
  EXPECT_EQ(space.take(2_MiB), kEnd - (2_MiB).count);
  EXPECT_EQ(space.take(20_MiB), kEnd - (22_MiB).count);
}

TEST(AddressSpace, Chunk_serves_small_requests_from_the_lowest_remainder_before_it_takes_a_new_chunk) {
  AddressSpace space(kBegin, kEnd, AddressOrder::chunk);
  const auto first = space.take(44_MiB);   // a chunk of 64 MiB, 20 MiB over
  const auto second = space.take(44_MiB);  // below it
  EXPECT_EQ(first, kEnd - (64_MiB).count);
  EXPECT_EQ(second, kEnd - (128_MiB).count);
  EXPECT_EQ(space.take(20_MiB), *second + (44_MiB).count) << "the lowest remainder comes first";
  EXPECT_EQ(space.take(16_MiB), *first + (44_MiB).count);
  EXPECT_EQ(space.take(20_MiB), kEnd - (160_MiB).count) << "nothing fits any more: a new chunk";
}

TEST(AddressSpace, Recorded_segments_keep_their_order_and_distances) {
  AddressSpace space(kBegin, kEnd, AddressOrder::recorded,
                     {{20_MiB, 0x7f2114000000}, {2_MiB, 0x7f2118000000}, {20_MiB, 0x7f2110000000}});
  EXPECT_EQ(space.take_segment(2_MiB), kBegin + 0x8000000);
  EXPECT_EQ(space.take_segment(20_MiB), kBegin + 0x4000000);
  EXPECT_EQ(space.take_segment(20_MiB), kBegin);
}

TEST(AddressSpace, A_request_that_was_not_recorded_is_placed_as_on_native_Linux_above_the_recorded_segments) {
  AddressSpace space(kBegin, kEnd, AddressOrder::recorded, {{2_MiB, 0x502000000}});
  const auto other = space.take_segment(10_MiB);
  EXPECT_EQ(other, kEnd - (32_MiB).count);
  EXPECT_FALSE(space.is_recorded(*other));
  EXPECT_TRUE(space.is_recorded(*space.take_segment(2_MiB)));
  EXPECT_EQ(space.take_segment(2_MiB), *other + (10_MiB).count) << "every recorded segment is taken once";
}

TEST(AddressSpace, A_recorded_place_is_taken_again_only_after_it_was_given_back) {
  const std::vector<RecordedSegment> twice{{4_MiB, 0x502000000}, {2_MiB, 0x502200000}};
  AddressSpace space(kBegin, kEnd, AddressOrder::recorded, twice);
  const auto first = space.take_segment(4_MiB);
  EXPECT_FALSE(space.is_recorded(*space.take_segment(2_MiB))) << "it would lie inside the first";
  space.give(*first, 4_MiB);
  EXPECT_EQ(space.take_segment(2_MiB), kBegin + (2_MiB).count);
}

TEST(AddressSpace, Recorded_segments_that_span_more_than_the_space_are_left_out) {
  AddressSpace space(kBegin, kEnd, AddressOrder::recorded, {{2_MiB, 0x502000000}, {2_MiB, 0x7f2118400000}});
  EXPECT_EQ(space.take_segment(2_MiB), kEnd - (32_MiB).count);
}

TEST(AddressSpace, A_range_given_back_between_two_free_neighbours_merges_all_three) {
  AddressSpace space(kBegin, kBegin + (6_MiB).count, AddressOrder::ascending);
  const auto a = space.take(2_MiB);
  const auto b = space.take(2_MiB);
  const auto c = space.take(2_MiB);
  space.give(*a, 2_MiB);
  space.give(*c, 2_MiB);
  space.give(*b, 2_MiB);
  EXPECT_EQ(space.take(6_MiB), a);
}

TEST(AddressSpace, A_used_up_space_answers_nothing) {
  for (const auto order : {AddressOrder::chunk, AddressOrder::ascending, AddressOrder::descending}) {
    AddressSpace space(kBegin, kBegin + (64_MiB).count, order);
    EXPECT_TRUE(space.take(64_MiB));
    EXPECT_FALSE(space.take(2_MiB));
  }
}

TEST(AddressSpace, Live_ranges_never_overlap_in_any_order) {
  const std::vector<RecordedSegment> recorded{{2_MiB, (1_GiB).count}, {6_MiB, (1_GiB).count}, {2_MiB, (1_GiB).count}};
  for (const auto order :
       {AddressOrder::chunk, AddressOrder::ascending, AddressOrder::descending, AddressOrder::recorded}) {
    AddressSpace space(kBegin, kBegin + (64_GiB).count, order, recorded);
    std::mt19937 random(7);
    std::vector<std::pair<Address, Bytes>> live;
    for (int i = 0; i < 2000; ++i) {
      if (!live.empty() && random() % 2 == 0) {
        const std::size_t victim = random() % live.size();
        space.give(live[victim].first, live[victim].second);
        live[victim] = live.back();
        live.pop_back();
      }
      const Bytes size = 2_MiB * (1 + random() % 40);
      const auto address = space.take_segment(size);
      ASSERT_TRUE(address && space.contains(*address));
      for (const auto& [other, other_size] : live) {
        ASSERT_TRUE(*address + size.count <= other || other + other_size.count <= *address);
      }
      live.emplace_back(*address, size);
    }
  }
}

}  // namespace
}  // namespace dryfit
