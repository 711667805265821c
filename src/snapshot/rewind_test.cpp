// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/rewind.h"

#include <gtest/gtest.h>

#include "snapshot/test_support.h"

namespace dryfit::snapshot {
namespace {

using namespace literals;
using testing::allocated;
using testing::entry;
using testing::segment;

constexpr Address kBase = 0x7f0000000000;

Snapshot with(std::vector<Segment> segments, std::vector<Entry> entries) {
  Snapshot result;
  result.segments = std::move(segments);
  result.device_traces.push_back(std::move(entries));
  return result;
}

TEST(Rewind, A_recording_from_the_beginning_starts_with_nothing) {
  const auto start =
      rewind(with({segment(kBase, 2_MiB, {allocated(kBase, 512_B)})},
                  {entry(Action::segment_alloc, kBase, 2_MiB), entry(Action::alloc, kBase, 100_B),
                   entry(Action::alloc, kBase + 512, 512_B), entry(Action::free_requested, kBase + 512, 512_B),
                   entry(Action::free_completed, kBase + 512, 512_B)}),
             0);
  EXPECT_TRUE(start.is_empty());
  EXPECT_TRUE(start.diagnostics.empty());
}

TEST(Rewind, A_block_freed_in_the_recording_exists_at_its_start) {
  const auto start = rewind(with({segment(kBase, 2_MiB)}, {entry(Action::free_requested, kBase + 1024, 700_B),
                                                           entry(Action::free_completed, kBase + 1024, 700_B)}),
                            0);
  ASSERT_EQ(start.segments.size(), 1u);
  const auto& blocks = start.segments[0].blocks;
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[1].address, kBase + 1024);
  EXPECT_EQ(blocks[1].size, 1024_B);
  EXPECT_EQ(blocks[1].requested, 700_B);
  EXPECT_EQ(blocks[1].state, BlockState::active_allocated);
}

TEST(Rewind, A_block_of_a_large_segment_took_a_rest_that_was_too_small_to_split) {
  const auto freed =
      std::vector{entry(Action::free_requested, kBase, 19_MiB), entry(Action::free_completed, kBase, 19_MiB)};
  const auto start = rewind(with({segment(kBase, 20_MiB)}, freed), 0);
  ASSERT_EQ(start.segments[0].blocks.size(), 1u);
  EXPECT_EQ(start.segments[0].blocks[0].size, 20_MiB);
  const auto larger = rewind(with({segment(kBase, 22_MiB)}, freed), 0);
  EXPECT_EQ(larger.segments[0].blocks[0].size, 19_MiB);
}

TEST(Rewind, A_block_beyond_max_split_size_was_never_split) {
  const auto freed =
      std::vector{entry(Action::free_requested, kBase, 70_MiB), entry(Action::free_completed, kBase, 70_MiB)};
  const auto start = rewind(with({segment(kBase, 80_MiB)}, freed), 0, {.max_split_size = 64_MiB});
  EXPECT_EQ(start.segments[0].blocks[0].size, 80_MiB);
}

TEST(Rewind, Requests_are_rounded_as_the_recorded_allocator_did) {
  const RewindRules rules{.rounded = [](Bytes) { return 4096_B; }};
  const auto start = rewind(with({segment(kBase, 2_MiB)}, {entry(Action::free_requested, kBase, 700_B),
                                                           entry(Action::free_completed, kBase, 700_B)}),
                            0, rules);
  EXPECT_EQ(start.segments[0].blocks[0].size, 4096_B);
}

TEST(Rewind, A_segment_released_in_the_recording_exists_at_its_start) {
  const auto start = rewind(with({}, {entry(Action::segment_free, kBase, 2_MiB)}), 0);
  ASSERT_EQ(start.segments.size(), 1u);
  EXPECT_TRUE(start.segments[0].is_small);
  ASSERT_EQ(start.segments[0].blocks.size(), 1u);
  EXPECT_EQ(start.segments[0].blocks[0].state, BlockState::inactive);
}

TEST(Rewind, A_free_that_was_not_completed_is_pending_at_the_start) {
  const auto start = rewind(with({segment(kBase, 2_MiB)}, {entry(Action::free_completed, kBase, 512_B)}), 0);
  EXPECT_EQ(start.segments[0].blocks[0].state, BlockState::active_pending_free);
}

TEST(Rewind, Mapped_ranges_of_an_expandable_segment_shrink_and_grow) {
  auto mapped = segment(kBase, 60_MiB, {allocated(kBase, 20_MiB)});
  mapped.is_expandable = true;
  const auto start = rewind(with({mapped}, {entry(Action::segment_unmap, kBase + (60_MiB).count, 20_MiB),
                                            entry(Action::segment_map, kBase + (20_MiB).count, 40_MiB)}),
                            0);
  ASSERT_EQ(start.segments.size(), 2u);
  EXPECT_EQ(start.segments[0].size, 20_MiB);
  EXPECT_EQ(start.segments[1].address, kBase + (60_MiB).count);
  EXPECT_EQ(start.segments[1].size, 20_MiB);
  EXPECT_TRUE(start.diagnostics.empty());
}

TEST(Rewind, A_range_that_a_block_reaches_into_stays_mapped) {
  auto mapped = segment(kBase, 40_MiB, {allocated(kBase, 40_MiB)});
  mapped.is_expandable = true;
  const auto start = rewind(with({mapped}, {entry(Action::segment_map, kBase + (20_MiB).count, 20_MiB)}), 0);
  ASSERT_EQ(start.segments.size(), 1u);
  EXPECT_EQ(start.segments[0].size, 40_MiB);
  EXPECT_EQ(start.diagnostics.counts().at("rewind.segment_in_use"), 1u);
}

TEST(Rewind, Contradictions_are_counted) {
  const auto start =
      rewind(with({segment(kBase, 2_MiB, {allocated(kBase, 512_B)})},
                  {entry(Action::alloc, kBase + 4096, 1_B), entry(Action::free_requested, kBase, 1_B),
                   entry(Action::free_completed, kBase, 512_B), entry(Action::segment_alloc, kBase, 4_MiB),
                   entry(Action::segment_alloc, kBase, 2_MiB), entry(Action::segment_free, kBase, 2_MiB),
                   entry(Action::segment_map, 0, 2_MiB)}),
             0);
  const auto& counts = start.diagnostics.counts();
  EXPECT_EQ(counts.at("rewind.unknown_block"), 2u);
  EXPECT_EQ(counts.at("rewind.occupied"), 2u);
  EXPECT_EQ(counts.at("rewind.unknown_segment"), 2u);
  EXPECT_EQ(counts.at("rewind.segment_in_use"), 1u);
}

}  // namespace
}  // namespace dryfit::snapshot
