// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/layout.h"

#include <gtest/gtest.h>

#include "simulator/caching_allocator.h"

namespace dryfit::simulator {
namespace {

using namespace literals;

constexpr Address kBase = 0x700000000;

SegmentInfo segment(Address address, Bytes size) { return {.address = address, .size = size}; }

TEST(Layout, A_run_continues_from_a_loaded_state) {
  SegmentInfo used = segment(kBase, 20_MiB);
  used.blocks.push_back({kBase, 4_MiB, 4_MiB, BlockState::kAllocated});
  CachingAllocator allocator({});
  ASSERT_TRUE(allocator.load({{used}}));
  EXPECT_EQ(allocator.statistics().all.allocated_bytes.current(), (4_MiB).count);
  EXPECT_EQ(allocator.malloc(16_MiB).address, kBase + (4_MiB).count);
  EXPECT_EQ(allocator.device().used(), 20_MiB);
}

TEST(Layout, A_loaded_block_is_freed_by_the_id_that_the_list_gives) {
  SegmentInfo used = segment(kBase, 20_MiB);
  used.blocks.push_back({kBase, 20_MiB, 18_MiB, BlockState::kAllocated});
  CachingAllocator allocator({});
  ASSERT_TRUE(allocator.load({{used}}));
  allocator.free(allocator.segments()[0].blocks[0].id);
  EXPECT_EQ(allocator.malloc(20_MiB).address, kBase);
  EXPECT_EQ(allocator.largest_free_block(), 0_B);
}

TEST(Layout, Ranges_of_an_expandable_segment_are_one_segment_again) {
  SegmentInfo low = segment(kBase, 20_MiB), high = segment(kBase + (40_MiB).count, 20_MiB);
  low.is_expandable = high.is_expandable = true;
  const TorchVersion version{2, 6, 0};
  CachingAllocator allocator({.version = version, .config = *parse_alloc_config("expandable_segments:True", version)});
  ASSERT_TRUE(allocator.load({{low, high}}));
  EXPECT_EQ(allocator.segments().size(), 2u);
  EXPECT_EQ(allocator.malloc(60_MiB).address, kBase) << "the gap is mapped";
  EXPECT_EQ(allocator.segments().size(), 1u);
}

TEST(Layout, New_segments_lie_where_a_recording_says) {
  CachingAllocator allocator({.addresses = std::make_unique<RecordedAddresses>(std::vector<Address>{kBase, 512})});
  EXPECT_EQ(allocator.malloc(20_MiB).address, kBase);
  EXPECT_EQ(allocator.malloc(20_MiB).address, 512u);
  EXPECT_GT(allocator.malloc(20_MiB).address, kBase) << "the recording is over";
}

TEST(Layout, Damaged_states_are_refused) {
  const auto refused = [](SegmentInfo damaged) { return !CachingAllocator({}).load({{damaged}}); };
  EXPECT_TRUE(refused(segment(kBase, 0_B)));
  EXPECT_TRUE(refused(segment(~Address{0} - 512, 2_MiB)));
  SegmentInfo outside = segment(kBase, 2_MiB);
  outside.blocks.push_back({kBase + (2_MiB).count - 512, 1024_B, 1024_B, BlockState::kAllocated});
  EXPECT_TRUE(refused(outside));
  SegmentInfo overlapping = segment(kBase, 2_MiB);
  overlapping.blocks.push_back({kBase, 1024_B, 1_B, BlockState::kAllocated});
  overlapping.blocks.push_back({kBase + 512, 1024_B, 1_B, BlockState::kAllocated});
  EXPECT_TRUE(refused(overlapping));
  EXPECT_FALSE(CachingAllocator({}).load({{segment(kBase, 2_MiB), segment(kBase + 512, 2_MiB)}}));
}

}  // namespace
}  // namespace dryfit::simulator
