// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/recording.h"

#include <gtest/gtest.h>

#include "whatif/testing.h"

namespace dryfit::whatif {
namespace {

using namespace literals;
using namespace testing;
using Action = snapshot::Action;
using Kind = Operation::Kind;

std::vector<Kind> kinds(const Recording& recording) {
  std::vector<Kind> result;
  for (const auto& operation : recording.operations) result.push_back(operation.kind);
  return result;
}

TEST(Recording, Segments_are_effects_and_do_not_count) {
  const auto tape = Tape().alloc_segment(kA, 20_MiB).free(kA, 20_MiB).ends_with(kA, 20_MiB, 0_B);
  const auto recording = tape.recording();
  EXPECT_EQ(kinds(recording), (std::vector{Kind::malloc, Kind::free}));
  ASSERT_EQ(recording.segments.size(), 1u);
  EXPECT_EQ(recording.segments[0].address, kA);
  EXPECT_TRUE(recording.start.empty());
  EXPECT_TRUE(recording.diagnostics.empty());
}

TEST(Recording, A_free_that_waited_for_another_stream_has_two_parts) {
  const auto tape = Tape()
                        .alloc_segment(kA, 20_MiB)
                        .add(Action::free_requested, kA, 20_MiB)
                        .alloc_segment(kB, 20_MiB)
                        .add(Action::free_completed, kA, 20_MiB)
                        .ends_with(kA, 20_MiB, 0_B)
                        .ends_with(kB, 20_MiB, 20_MiB);
  const auto recording = tape.recording();
  EXPECT_EQ(kinds(recording), (std::vector{Kind::malloc, Kind::request_free, Kind::malloc, Kind::complete_free}));
  EXPECT_EQ(recording.operations[1].slot, recording.operations[0].slot);
  EXPECT_EQ(recording.operations[3].slot, recording.operations[0].slot);
  EXPECT_NE(recording.operations[2].slot, recording.operations[0].slot);
}

TEST(Recording, Slots_are_used_again) {
  Tape tape;
  tape.add(Action::segment_alloc, kA, 2_MiB);
  for (int i = 0; i < 100; ++i) tape.add(Action::alloc, kA, 512_B).free(kA, 512_B);
  EXPECT_EQ(tape.ends_with(kA, 2_MiB, 0_B).recording().slots, 1u);
}

TEST(Recording, A_block_from_before_the_recording_can_be_freed_in_it) {
  const auto tape = Tape().free(kA, 1_MiB).ends_with(kA, 2_MiB, 0_B);
  const auto recording = tape.recording();
  ASSERT_EQ(recording.start.size(), 1u);
  ASSERT_EQ(recording.start_blocks.size(), 1u);
  EXPECT_EQ(recording.start_blocks[0].slot, recording.operations[0].slot);
}

TEST(Recording, Frees_of_unknown_blocks_are_left_out_and_counted) {
  const auto tape = Tape().alloc_segment(kA, 20_MiB).free(kB, 5_MiB).ends_with(kA, 20_MiB, 20_MiB);
  const auto recording = tape.recording();
  EXPECT_EQ(recording.operations.size(), 1u);
  EXPECT_EQ(recording.diagnostics.counts().at("replay.unknown_block"), 2u);
}

TEST(Recording, The_pool_that_an_entry_names_is_believed) {
  Tape tape;
  tape.alloc_segment(kA, 20_MiB).ends_with(kA, 20_MiB, 20_MiB);
  tape.snapshot().segments[0].pool = {0, 1};
  tape.entries()[1].pool = snapshot::PoolId{};  // the segment came to another pool later, unseen
  EXPECT_TRUE(tape.recording().operations[0].pool.is_default());
}

TEST(Recording, Where_entries_name_no_pool_the_last_segment_does_for_what_is_in_it) {
  Tape tape;
  tape.alloc_segment(kA, 20_MiB).free(kA, 20_MiB).add(Action::segment_free, kA, 20_MiB);
  tape.alloc_segment(kA, 20_MiB).ends_with(kA, 20_MiB, 20_MiB);
  tape.snapshot().segments[0].pool = {0, 1};
  std::vector<bool> is_default;
  for (const auto& operation : tape.recording().operations) {
    if (operation.kind == Kind::malloc) is_default.push_back(operation.pool.is_default());
  }
  EXPECT_EQ(is_default, (std::vector{true, false}));
}

TEST(Recording, A_device_without_entries_is_an_error_that_says_what_to_do) {
  Tape tape;
  const auto recording = prepare(tape.snapshot(), 0, kTorch);
  ASSERT_FALSE(recording);
  EXPECT_NE(recording.error().hint.find("_record_memory_history"), std::string::npos);
  EXPECT_FALSE(prepare(tape.snapshot(), 5, kTorch));
  EXPECT_TRUE(recorded_devices(tape.snapshot()).empty());
}

TEST(Recording, The_configuration_is_that_of_the_snapshot) {
  Tape tape;
  tape.alloc_segment(kA, 20_MiB).ends_with(kA, 20_MiB, 20_MiB);
  tape.snapshot().settings.alloc_conf = "max_split_size_mb:64";
  EXPECT_EQ(tape.recording().config.max_split_size, 64_MiB);
  tape.snapshot().settings = {.expandable_segments = true, .roundup_power2_divisions = {{"1", 4}, {"2", 4}}};
  const auto recording = tape.recording();
  EXPECT_TRUE(recording.config.expandable_segments);
  EXPECT_EQ(recording.config.roundup_power2_divisions[1], 4u);
}

}  // namespace
}  // namespace dryfit::whatif
