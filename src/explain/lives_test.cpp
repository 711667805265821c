// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/lives.h"

#include <gtest/gtest.h>

#include "whatif/testing.h"

namespace dryfit::explain {
namespace {

using namespace literals;
using snapshot::Action;
using whatif::testing::kA;
using whatif::testing::Tape;

TEST(Lives, A_block_has_the_size_of_its_request_rounded) {
  Tape tape;
  tape.add(Action::segment_alloc, kA, 2_MiB).add(Action::alloc, kA, 1000_B).ends_with(kA, 2_MiB, 1024_B);
  const auto recording = tape.recording();
  const auto lives = lives_of(recording);
  ASSERT_EQ(lives.allocations.size(), 1u);
  EXPECT_EQ(lives.allocations[0].bytes, 1024_B);
  EXPECT_EQ(lives.allocations[0].requested, 1000_B);
  EXPECT_EQ(lives.allocations[0].died, kNever);
  EXPECT_EQ(lives.peak_reserved, 2_MiB);
}

TEST(Lives, What_would_be_too_little_to_split_off_belongs_to_the_block) {
  Tape tape;
  tape.add(Action::segment_alloc, kA, 20_MiB)
      .add(Action::alloc, kA, Bytes{(19u << 20) + 512})
      .ends_with(kA, 20_MiB, 20_MiB);
  const auto recording = tape.recording();
  EXPECT_EQ(lives_of(recording).allocations.at(0).bytes, 20_MiB);
}

TEST(Lives, The_peak_is_the_first_moment_at_which_most_was_allocated) {
  Tape tape;
  tape.alloc_segment(kA, 20_MiB).free(kA, 20_MiB).add(Action::alloc, kA, 20_MiB).ends_with(kA, 20_MiB, 20_MiB);
  const auto recording = tape.recording();
  const auto lives = lives_of(recording);
  EXPECT_EQ(lives.peak_allocated, 20_MiB);
  EXPECT_EQ(lives.peak, 1u);
  EXPECT_EQ(lives.allocations.at(0).died, 2u);
}

TEST(Lives, Memory_that_another_stream_still_uses_is_neither_allocated_nor_free) {
  Tape tape;
  tape.alloc_segment(kA, 20_MiB).add(Action::free_requested, kA, 20_MiB).ends_with(kA, 20_MiB, 0_B);
  tape.snapshot().segments[0].blocks[0].state = snapshot::BlockState::active_pending_free;
  const auto recording = tape.recording();
  const auto lives = lives_of(recording);
  EXPECT_EQ(lives.allocations.at(0).died, 2u);
  const auto segments = segments_at(recording, lives, 2);
  ASSERT_EQ(segments.size(), 1u);
  ASSERT_EQ(segments[0].blocks.size(), 1u);
  EXPECT_EQ(segments[0].blocks[0].allocation, kNone);
}

TEST(Lives, Expandable_memory_grows_and_shrinks_in_place) {
  Tape tape;
  tape.add(Action::segment_map, kA, 20_MiB).add(Action::alloc, kA, 4_MiB);
  tape.add(Action::segment_map, kA + (20u << 20), 20_MiB).add(Action::alloc, kA + (4u << 20), 30_MiB);
  tape.free(kA + (4u << 20), 30_MiB).add(Action::segment_unmap, kA + (20u << 20), 20_MiB);
  tape.ends_with(kA, 20_MiB, 4_MiB);
  tape.snapshot().segments[0].is_expandable = true;
  const auto recording = tape.recording();
  const auto lives = lives_of(recording);
  EXPECT_EQ(lives.diagnostics.counts().size(), 0u);
  EXPECT_EQ(lives.peak_allocated, 34_MiB);
  EXPECT_EQ(lives.peak_reserved, 40_MiB);
  EXPECT_EQ(segments_at(recording, lives, 3).size(), 1u) << "ranges that touch are one";
  EXPECT_EQ(segments_at(recording, lives, 6).at(0).bytes, 20_MiB);
}

}  // namespace
}  // namespace dryfit::explain
