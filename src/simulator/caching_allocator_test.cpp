// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/caching_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dryfit::simulator {
namespace {

using namespace literals;

constexpr StreamId kMain{0}, kSide{0x1000};
constexpr TorchVersion kTorch2_6{2, 6, 0};

CachingAllocator make(const char* conf = "", Bytes total = 1_GiB, TorchVersion version = TorchVersion::newest()) {
  return CachingAllocator(
      {.version = version, .config = *parse_alloc_config(conf, version), .device = {.total = total}});
}

std::uint64_t reserved(const CachingAllocator& allocator) {
  return allocator.statistics().all.reserved_bytes.current();
}
std::uint64_t allocated(const CachingAllocator& allocator) {
  return allocator.statistics().all.allocated_bytes.current();
}

TEST(CachingAllocator, A_small_request_takes_the_front_of_a_2_MiB_segment) {
  CachingAllocator allocator = make();
  EXPECT_EQ(allocator.malloc(1_B).address, 0u);
  EXPECT_EQ(allocator.malloc(1000_B).address, 512u);
  EXPECT_EQ(reserved(allocator), (2_MiB).count);
  EXPECT_EQ(allocated(allocator), 512u + 1024u);
  EXPECT_EQ(allocator.statistics().all.requested_bytes.current(), 1001u);
}

TEST(CachingAllocator, A_request_for_nothing_gets_nothing) {
  CachingAllocator allocator = make();
  EXPECT_EQ(allocator.malloc(0_B).outcome, Outcome::kNothing);
  EXPECT_EQ(allocator.statistics().all.allocation.total_up(), 0u);
}

TEST(CachingAllocator, A_large_block_is_split_only_if_more_than_1_MiB_remains) {
  CachingAllocator allocator = make();
  const auto first = allocator.malloc(12_MiB);
  allocator.free(first.block);
  allocator.malloc(11_MiB);
  EXPECT_EQ(allocated(allocator), (12_MiB).count) << "the slack belongs to the caller";
}

TEST(CachingAllocator, Freeing_a_block_between_two_free_neighbours_merges_all_three) {
  CachingAllocator allocator = make();
  const auto a = allocator.malloc(512_B), b = allocator.malloc(512_B), c = allocator.malloc(512_B);
  allocator.malloc(512_B);
  allocator.free(a.block);
  allocator.free(c.block);
  allocator.free(b.block);
  EXPECT_EQ(allocator.malloc(1536_B).address, a.address);
}

TEST(CachingAllocator, Among_equal_sizes_the_version_decides) {
  for (const bool by_address : {true, false}) {
    CachingAllocator allocator({.version = by_address ? kTorch2_6 : TorchVersion::newest(),
                                .device = {.total = 1_GiB},
                                .addresses = std::make_unique<DescendingAddresses>(Address{1} << 40)});
    const auto older = allocator.malloc(20_MiB), newer = allocator.malloc(20_MiB);
    ASSERT_LT(newer.address, older.address);
    allocator.free(older.block);
    allocator.free(newer.block);
    EXPECT_EQ(allocator.malloc(20_MiB).address, by_address ? newer.address : older.address);
  }
}

/// As torch 2.11.0, 2.12.0 and 2.15.0 answered under the stand-in driver.
TEST(CachingAllocator, Torch_2_12_prefers_the_block_object_that_was_made_first) {
  for (const int minor : {11, 12, 15}) {
    CachingAllocator allocator = make("", 1_GiB, {2, minor, 0});
    const auto whole = allocator.malloc(1024_B), second = allocator.malloc(512_B);
    allocator.malloc(512_B);
    allocator.free(whole.block);
    const auto front = allocator.malloc(512_B);
    allocator.malloc(512_B);
    allocator.free(front.block);
    allocator.free(second.block);
    EXPECT_EQ(allocator.malloc(512_B).address, minor == 12 ? second.address : front.address) << minor;
  }
}

TEST(CachingAllocator, A_block_is_reused_only_on_its_stream) {
  CachingAllocator allocator = make();
  allocator.free(allocator.malloc(20_MiB, kMain).block);
  EXPECT_NE(allocator.malloc(20_MiB, kSide).address, 0u);
  EXPECT_EQ(allocator.malloc(20_MiB, kMain).address, 0u);
}

TEST(CachingAllocator, A_block_in_use_by_a_held_stream_stays_active_until_that_is_done) {
  CachingAllocator allocator = make();
  const auto block = allocator.malloc(20_MiB, kMain);
  allocator.hold(kSide);
  allocator.record_stream(block.block, kSide);
  allocator.free(block.block);
  EXPECT_EQ(allocated(allocator), 0u);
  EXPECT_EQ(allocator.statistics().all.active_bytes.current(), (20_MiB).count);
  EXPECT_NE(allocator.malloc(20_MiB, kMain).address, block.address);
  allocator.done(kSide);
  EXPECT_EQ(allocator.malloc(20_MiB, kMain).address, block.address);
}

TEST(CachingAllocator, A_free_in_two_parts_releases_the_memory_with_the_second) {
  CachingAllocator allocator = make();
  const auto block = allocator.malloc(20_MiB);
  allocator.request_free(block.block);
  EXPECT_EQ(allocator.block(block.block).state, BlockState::kPendingFree);
  allocator.complete_free(block.block);
  EXPECT_EQ(allocator.malloc(20_MiB).address, block.address);
}

TEST(CachingAllocator, A_free_that_was_completed_early_may_be_completed_again) {
  CachingAllocator allocator = make();
  const auto block = allocator.malloc(20_MiB);
  allocator.request_free(block.block);
  allocator.empty_cache();
  EXPECT_EQ(reserved(allocator), 0u);
  const auto other = allocator.malloc(20_MiB);
  allocator.complete_free(block.block);
  EXPECT_EQ(allocator.block(other.block).state, BlockState::kAllocated);
}

TEST(CachingAllocator, Blocks_whose_free_was_completed_early_leave_nothing_behind) {
  CachingAllocator allocator = make();
  BlockId highest{};
  for (int i = 0; i < 1000; ++i) {
    const auto block = allocator.malloc(20_MiB);
    highest = std::max(highest, block.block);
    allocator.request_free(block.block);
    allocator.empty_cache();
    allocator.complete_free(block.block);
  }
  EXPECT_LT(static_cast<std::uint32_t>(highest), 8u);
}

TEST(CachingAllocator, When_memory_runs_out_the_cache_is_released_and_the_request_retried) {
  CachingAllocator allocator = make("", 100_MiB);
  allocator.free(allocator.malloc(60_MiB).block);
  EXPECT_TRUE(allocator.malloc(80_MiB));
  EXPECT_EQ(allocator.statistics().num_alloc_retries, 1u);
  EXPECT_EQ(allocator.malloc(80_MiB).outcome, Outcome::kOutOfMemory);
  EXPECT_EQ(allocator.statistics().num_ooms, 1u);
}

TEST(CachingAllocator, A_memory_fraction_limits_what_is_reserved) {
  CachingAllocator allocator = make();
  EXPECT_FALSE(allocator.memory_limit());
  allocator.set_memory_fraction(0.5);
  EXPECT_EQ(allocator.memory_limit(), 512_MiB);
  EXPECT_FALSE(allocator.malloc(514_MiB));
  EXPECT_TRUE(allocator.malloc(512_MiB));
}

TEST(CachingAllocator, A_fraction_of_one_is_a_limit_only_up_to_2_9) {
  const char* conf = "garbage_collection_threshold:0.5";
  for (const bool old : {true, false}) {
    CachingAllocator allocator = make(conf, 100_MiB, old ? TorchVersion{2, 9, 0} : TorchVersion{2, 10, 0});
    allocator.set_memory_fraction(1.0);
    allocator.free(allocator.malloc(60_MiB).block);
    allocator.malloc(10_MiB, kSide);
    EXPECT_EQ(reserved(allocator), old ? (10_MiB).count : (70_MiB).count) << "garbage is collected under a limit";
  }
}

TEST(CachingAllocator, Blocks_above_max_split_size_are_kept_whole_and_released_one_by_one) {
  CachingAllocator allocator = make("max_split_size_mb:32", 200_MiB);
  const auto first = allocator.malloc(100_MiB), second = allocator.malloc(60_MiB);
  allocator.free(first.block);
  allocator.free(second.block);
  EXPECT_NE(allocator.malloc(20_MiB).address, first.address) << "not for a small request";
  allocator.malloc(110_MiB);
  EXPECT_EQ(allocator.statistics().num_alloc_retries, 0u) << "freeing one block was enough";
}

TEST(CachingAllocator, An_expandable_segment_grows_behind_a_free_block) {
  CachingAllocator allocator = make("expandable_segments:True");
  const auto first = allocator.malloc(20_MiB);
  allocator.free(first.block);
  const auto grown = allocator.malloc(40_MiB);
  EXPECT_EQ(grown.address, first.address);
  EXPECT_EQ(reserved(allocator), (40_MiB).count);
  EXPECT_EQ(allocator.statistics().all.segment.current(), 0u);
}

TEST(CachingAllocator, Emptying_the_cache_unmaps_whole_granules_of_expandable_segments) {
  CachingAllocator allocator = make("expandable_segments:True");
  const auto first = allocator.malloc(30_MiB);
  const auto second = allocator.malloc(20_MiB);
  allocator.free(first.block);
  allocator.empty_cache();
  EXPECT_EQ(reserved(allocator), (40_MiB).count) << "the second granule is shared";
  allocator.free(second.block);
  allocator.empty_cache();
  EXPECT_EQ(reserved(allocator), 0u);
  EXPECT_EQ(allocator.device().used(), 0_B);
}

TEST(CachingAllocator, A_private_pool_keeps_its_memory_to_itself_until_released) {
  CachingAllocator allocator = make();
  const MempoolId graph{0, 1};
  allocator.begin_allocate_to_pool(graph);
  const auto captured = allocator.malloc(20_MiB);
  allocator.end_allocate_to_pool(graph);
  allocator.free(captured.block);
  EXPECT_NE(allocator.malloc(20_MiB).address, captured.address);
  allocator.empty_cache();
  EXPECT_EQ(reserved(allocator), (40_MiB).count);
  allocator.release_pool(graph);
  allocator.empty_cache();
  EXPECT_EQ(reserved(allocator), (20_MiB).count);
}

TEST(CachingAllocator, While_a_graph_is_captured_the_cache_is_not_released) {
  CachingAllocator allocator = make("", 100_MiB);
  allocator.free(allocator.malloc(60_MiB).block);
  allocator.begin_capture();
  EXPECT_FALSE(allocator.malloc(80_MiB));
  allocator.end_capture();
  EXPECT_TRUE(allocator.malloc(80_MiB));
}

TEST(CachingAllocator, With_throw_on_cudamalloc_oom_nothing_is_tried) {
  CachingAllocator allocator = make("throw_on_cudamalloc_oom:True", 100_MiB);
  allocator.free(allocator.malloc(60_MiB).block);
  EXPECT_EQ(allocator.malloc(80_MiB).outcome, Outcome::kRejected);
  EXPECT_EQ(allocator.statistics().num_oom_rejections, 1u);
  EXPECT_EQ(reserved(allocator), (60_MiB).count);
}

TEST(CachingAllocator, Peaks_are_kept_until_reset) {
  CachingAllocator allocator = make();
  allocator.free(allocator.malloc(30_MiB).block);
  EXPECT_EQ(allocator.statistics().all.allocated_bytes.peak(), (30_MiB).count);
  allocator.reset_peak_statistics();
  EXPECT_EQ(allocator.statistics().all.allocated_bytes.peak(), 0u);
  EXPECT_EQ(allocator.statistics().all.reserved_bytes.peak(), (30_MiB).count);
}

TEST(CachingAllocatorDeathTest, Freeing_a_block_twice_is_a_bug_in_the_caller) {
  CachingAllocator allocator = make();
  const auto block = allocator.malloc(20_MiB);
  allocator.free(block.block);
  EXPECT_DEATH(allocator.free(block.block), "bug");
}

}  // namespace
}  // namespace dryfit::simulator
