// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/play.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "snapshot/reader.h"
#include "snapshot/writer.h"
#include "whatif/prediction.h"
#include "whatif/testing.h"

namespace dryfit::whatif {
namespace {

using namespace literals;
using namespace testing;
using Action = snapshot::Action;

Conditions as_recorded() { return {.torch = kTorch}; }

Outcome played(const Tape& tape, const Conditions& conditions) {
  const auto recording = tape.recording();
  const auto outcome = play(recording, conditions);
  EXPECT_TRUE(outcome) << outcome.error().what;
  return outcome ? *outcome : Outcome{};
}

Conditions on_a_card_of(Bytes total) {
  auto conditions = as_recorded();
  conditions.total = total;
  return conditions;
}

/// 30 MiB, given back to the cache; then 40 MiB.
Tape two_tensors() {
  return Tape()
      .in("forward")
      .alloc_segment(kA, 30_MiB)
      .free(kA, 30_MiB)
      .in("backward")
      .alloc_segment(kB, 40_MiB)
      .ends_with(kA, 30_MiB, 0_B)
      .ends_with(kB, 40_MiB, 40_MiB);
}

TEST(Play, Peaks_and_fragmentation_are_those_of_the_allocator) {
  const auto outcome = played(two_tensors(), as_recorded());
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.peak_reserved, 70_MiB);
  EXPECT_EQ(outcome.peak_allocated, 40_MiB);
  EXPECT_EQ(outcome.fragmentation(), 30_MiB);
  EXPECT_EQ(outcome.largest_free_at_peak, 30_MiB);
  EXPECT_EQ(outcome.peak_at.entry, 5u);
  EXPECT_EQ(outcome.alloc_retries, 0u);
  EXPECT_FALSE(outcome.out_of_memory);
}

TEST(Play, A_smaller_card_makes_PyTorch_give_back_its_cache) {
  const auto outcome = played(two_tensors(), on_a_card_of(60_MiB));
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.alloc_retries, 1u);
  EXPECT_EQ(outcome.peak_reserved, 40_MiB);
}

TEST(Play, A_card_that_is_too_small_ends_it_at_the_request_that_fails) {
  const auto tape = two_tensors();
  const auto outcome = played(tape, on_a_card_of(34_MiB));
  ASSERT_TRUE(outcome.out_of_memory);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.out_of_memory->requested, 40_MiB);
  EXPECT_EQ(outcome.out_of_memory->at.entry, 5u);
  EXPECT_EQ(tape.snapshot().user_frame(outcome.out_of_memory->at.stack)->name, "backward");
}

TEST(Play, What_is_outside_PyTorch_is_taken_off_the_card) {
  auto conditions = on_a_card_of(100_MiB);
  conditions.outside = 70_MiB;
  EXPECT_TRUE(played(two_tensors(), conditions).out_of_memory);
}

TEST(Play, A_fraction_of_the_card_is_all_it_gets) {
  auto conditions = on_a_card_of(100_MiB);
  conditions.fraction = 0.35;
  const auto outcome = played(two_tensors(), conditions);
  ASSERT_TRUE(outcome.out_of_memory);
  EXPECT_EQ(outcome.out_of_memory->limit, 35_MiB);
  EXPECT_EQ(outcome.out_of_memory->reserved, 0_B);
  EXPECT_FALSE(played(two_tensors(), on_a_card_of(34_MiB)).out_of_memory->limit);
}

TEST(Play, A_request_rejected_beforehand_names_the_limit_and_what_is_free) {
  auto conditions = on_a_card_of(60_MiB);
  conditions.torch = {2, 12, 0};
  conditions.config.throw_on_cudamalloc_oom = true;
  const auto outcome = played(two_tensors(), conditions);
  ASSERT_TRUE(outcome.out_of_memory);
  EXPECT_EQ(outcome.out_of_memory->limit, 60_MiB);
  EXPECT_EQ(outcome.out_of_memory->reserved, 30_MiB);
  EXPECT_EQ(outcome.out_of_memory->device_free, 30_MiB);
}

TEST(Play, A_call_of_empty_cache_is_played) {
  const auto tape = Tape()
                        .alloc_segment(kA, 30_MiB)
                        .free(kA, 30_MiB)
                        .add(Action::segment_free, kA, 30_MiB)
                        .add(Action::snapshot, 0, 0_B)
                        .alloc_segment(kB, 40_MiB)
                        .ends_with(kB, 40_MiB, 40_MiB);
  EXPECT_EQ(played(tape, as_recorded()).peak_reserved, 40_MiB);
}

TEST(Play, A_block_in_use_by_another_stream_is_not_used_again) {
  const auto tape = Tape()
                        .alloc_segment(kA, 30_MiB)
                        .add(Action::free_requested, kA, 30_MiB)
                        .alloc_segment(kB, 30_MiB)
                        .add(Action::free_completed, kA, 30_MiB)
                        .add(Action::alloc, kA, 30_MiB)
                        .ends_with(kA, 30_MiB, 30_MiB)
                        .ends_with(kB, 30_MiB, 30_MiB);
  EXPECT_EQ(played(tape, as_recorded()).peak_reserved, 60_MiB);
  // On a smaller card the free is completed early, by the synchronisation before the cache is given back.
  const auto small = played(tape, on_a_card_of(62_MiB));
  EXPECT_TRUE(small.complete);
  const auto smaller = played(tape, on_a_card_of(50_MiB));
  ASSERT_TRUE(smaller.out_of_memory);
  EXPECT_EQ(smaller.out_of_memory->at.entry, 6u);
}

TEST(Play, A_recording_that_ran_out_of_memory_does_so_again) {
  const auto tape =
      Tape().alloc_segment(kA, 30_MiB).add(Action::oom, 10 << 20, 40_MiB).free(kA, 30_MiB).ends_with(kA, 30_MiB, 0_B);
  const auto outcome = played(tape, on_a_card_of(40_MiB));
  ASSERT_TRUE(outcome.out_of_memory);
  EXPECT_EQ(outcome.out_of_memory->device_free, 10_MiB);
  EXPECT_FALSE(outcome.met_here_only);
  EXPECT_TRUE(played(tape, on_a_card_of(100_MiB)).met_here_only);
}

TEST(Play, What_only_the_replay_could_meet_counts_at_its_peak) {
  const auto tape =
      Tape().alloc_segment(kA, 30_MiB).add(Action::oom, 10 << 20, 40_MiB).free(kA, 30_MiB).ends_with(kA, 30_MiB, 0_B);
  const auto outcome = played(tape, on_a_card_of(100_MiB));
  EXPECT_EQ(outcome.peak_reserved, 70_MiB);
  EXPECT_EQ(outcome.allocated_at_peak, 70_MiB);
  EXPECT_EQ(outcome.fragmentation(), 0_B);
}

TEST(Play, An_out_of_memory_error_that_the_program_got_over_does_not_end_it) {
  const auto tape = Tape()
                        .alloc_segment(kA, 30_MiB)
                        .add(Action::oom, 10 << 20, 40_MiB)
                        .free(kA, 30_MiB)
                        .add(Action::alloc, kA, 30_MiB)
                        .ends_with(kA, 30_MiB, 30_MiB);
  const auto outcome = played(tape, on_a_card_of(40_MiB));
  EXPECT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.refused_in_both, 1u);
}

TEST(Play, A_recording_that_begins_in_the_middle_begins_with_what_was_there) {
  const auto tape =
      Tape().free(kA, 30_MiB).alloc_segment(kB, 40_MiB).ends_with(kA, 30_MiB, 0_B).ends_with(kB, 40_MiB, 40_MiB);
  const auto outcome = played(tape, as_recorded());
  EXPECT_EQ(outcome.peak_reserved, 70_MiB);
  EXPECT_EQ(outcome.peak_allocated, 40_MiB);
}

TEST(Play, Expandable_segments_use_the_freed_memory) {
  auto conditions = as_recorded();
  conditions.config.expandable_segments = true;
  EXPECT_EQ(played(two_tensors(), conditions).peak_reserved, 40_MiB);
}

TEST(Play, The_fuzzers_corpus_is_played_without_harm) {
  int played = 0;
  for (const auto& file : std::filesystem::directory_iterator(DRYFIT_SOURCE_DIR "/tests/fuzz/snapshot")) {
    const auto snapshot = snapshot::read_snapshot(file.path());
    if (!snapshot) continue;
    for (const int device : recorded_devices(*snapshot)) {
      const auto recording = prepare(*snapshot, device, kTorch);
      if (!recording) continue;
      const auto outcome = play(*recording, on_a_card_of(100_MiB));
      if (outcome) ++played;
    }
  }
  EXPECT_GE(played, 3);
}

TEST(Prediction, Under_recorded_conditions_it_is_the_recording) {
  const auto tape = two_tensors();
  const auto recording = tape.recording();
  Prediction prediction(recording, "", kTorch);
  ASSERT_TRUE(play(recording, as_recorded(), &prediction));
  const auto& predicted = prediction.snapshot();
  ASSERT_EQ(predicted.device_traces[0].size(), recording.entries().size());
  for (std::size_t i = 0; i < recording.entries().size(); ++i) {
    EXPECT_EQ(predicted.device_traces[0][i].action, recording.entries()[i].action);
    EXPECT_EQ(predicted.device_traces[0][i].address, recording.entries()[i].address);
    EXPECT_EQ(predicted.device_traces[0][i].size, recording.entries()[i].size);
    EXPECT_EQ(predicted.device_traces[0][i].stack, recording.entries()[i].stack);
  }
  ASSERT_EQ(predicted.segments.size(), 2u);
  EXPECT_EQ(predicted.segments[1].blocks[0].state, snapshot::BlockState::active_allocated);
}

TEST(Prediction, Entries_name_their_pool_since_2_8) {
  Tape tape;
  tape.alloc_segment(kA, 30_MiB).free(kA, 30_MiB).alloc_segment(kB, 30_MiB).add(Action::oom, 0, 400_MiB);
  tape.ends_with(kA, 30_MiB, 0_B).ends_with(kB, 30_MiB, 30_MiB);
  for (auto& entry : tape.entries()) entry.pool = snapshot::PoolId{};
  for (const std::size_t i : {0, 1, 2, 3, 6}) tape.entries()[i].pool = snapshot::PoolId{0, 1};
  const auto recording = tape.recording();
  auto conditions = on_a_card_of(100_MiB);
  Prediction before(recording, "", kTorch);
  ASSERT_TRUE(play(recording, conditions, &before));
  for (const auto& entry : before.snapshot().device_traces[0]) EXPECT_FALSE(entry.pool);
  conditions.torch = {2, 8, 0};
  Prediction since(recording, "", conditions.torch);
  ASSERT_TRUE(play(recording, conditions, &since));
  const auto read = snapshot::parse_snapshot(snapshot::to_pickle(since.snapshot()));
  ASSERT_TRUE(read);
  ASSERT_GE(read->device_traces[0].size(), 6u);
  for (const auto& entry : read->device_traces[0]) {
    const bool is_private = entry.address == kA || entry.action == Action::oom || entry.action == Action::segment_free;
    EXPECT_EQ(entry.pool, (snapshot::PoolId{0, is_private ? 1u : 0u})) << to_text(entry.action);
  }
}

TEST(Prediction, It_can_be_written_read_and_played_again) {
  const auto tape = two_tensors();
  const auto recording = tape.recording();
  auto conditions = as_recorded();
  conditions.config.expandable_segments = true;
  Prediction prediction(recording, "expandable_segments:True", kTorch);
  const auto first = play(recording, conditions, &prediction);
  ASSERT_TRUE(first);
  const auto read = snapshot::parse_snapshot(snapshot::to_pickle(prediction.snapshot()));
  ASSERT_TRUE(read);
  const auto again = prepare(*read, 0, kTorch);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE(again->start.empty());
  EXPECT_TRUE(again->config.expandable_segments);
  const auto second = play(*again, {.torch = again->torch, .config = again->config});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->peak_reserved, first->peak_reserved);
  EXPECT_EQ(second->peak_allocated, first->peak_allocated);
}

}  // namespace
}  // namespace dryfit::whatif
