// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/answer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "whatif/sweep.h"
#include "whatif/testing.h"

namespace dryfit::whatif {
namespace {

using namespace literals;
using namespace testing;
using Action = snapshot::Action;

Card card_of(Bytes total) {
  return {.id = "test", .total_memory = total, .context_memory = 10_MiB, .context_spread = 5_MiB};
}

Question about(const Recording& recording, const Card& card) {
  return {.recording = &recording,
          .card = &card,
          .outside = outside_of(card, 0_B),
          .conditions = {.torch = recording.torch, .config = recording.config}};
}

Answer answered(const Question& question) {
  auto result = answer(question);
  EXPECT_TRUE(result) << result.error().what;
  return result ? std::move(result).value() : Answer{};
}

bool has(const Answer& answer, std::string_view name) {
  return std::ranges::find(answer.caveats, name, &Caveat::name) != answer.caveats.end();
}

/// With fixed segments the second finds no room in what the first left.
Tape thirty_then_forty_mebibytes() {
  return Tape()
      .alloc_segment(kA, 30_MiB)
      .free(kA, 30_MiB)
      .alloc_segment(kB, 40_MiB)
      .ends_with(kA, 30_MiB, 0_B)
      .ends_with(kB, 40_MiB, 40_MiB);
}

Tape forty_mebibytes() { return Tape().alloc_segment(kA, 40_MiB).ends_with(kA, 40_MiB, 40_MiB); }

TEST(Answer, What_other_jobs_hold_of_the_GPU_is_missing_to_this_one) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  auto card = card_of(200_MiB);
  card.held_by_others = 100_MiB;
  EXPECT_EQ(answered(about(recording, card)).fit, Fit::fits);
  card.held_by_others = 146_MiB;
  EXPECT_EQ(answered(about(recording, card)).fit, Fit::tight);
  card.held_by_others = 151_MiB;
  EXPECT_EQ(answered(about(recording, card)).fit, Fit::does_not_fit);
  card.held_by_others = 199_MiB;
  EXPECT_EQ(answered(about(recording, card)).fit, Fit::does_not_fit);
}

TEST(Answer, The_outside_memory_counts_as_in_a_dry_run) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto card = card_of(100_MiB);
  const auto result = answered(about(recording, card));
  EXPECT_EQ(result.fit, Fit::fits);
  EXPECT_EQ(result.device_peak, 50_MiB);
  EXPECT_TRUE(result.caveats.empty());
  EXPECT_GT(outside_of(card, {}).high, outside_of(card, 0_B).high + 20_MiB);
}

TEST(Answer, A_fit_that_stands_on_the_estimate_is_tight) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto card = card_of(52_MiB);
  const auto result = answered(about(recording, card));
  EXPECT_EQ(result.fit, Fit::tight);
  EXPECT_TRUE(has(result, "outside_memory"));
  const auto too_small = card_of(48_MiB);
  EXPECT_EQ(answered(about(recording, too_small)).fit, Fit::does_not_fit);
}

TEST(Answer, A_start_in_the_middle_is_a_caveat_only_under_other_conditions) {
  const auto tape = Tape().free(kA, 30_MiB).ends_with(kA, 30_MiB, 0_B);
  const auto recording = tape.recording();
  const auto card = card_of(100_MiB);
  auto question = about(recording, card);
  EXPECT_FALSE(has(answered(question), "starts_midway"));
  question.conditions.config.expandable_segments = true;
  EXPECT_TRUE(has(answered(question), "starts_midway"));
  const auto whole = forty_mebibytes();
  const auto from_beginning = whole.recording();
  question.recording = &from_beginning;
  EXPECT_FALSE(has(answered(question), "starts_midway"));
}

TEST(Answer, Another_card_decides_only_when_little_is_left) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto large = card_of(100_MiB);
  auto question = about(recording, large);
  question.same_card = false;
  EXPECT_TRUE(has(answered(question), "other_card"));
  EXPECT_EQ(answered(question).fit, Fit::fits);
  const auto small = card_of(56_MiB);
  question.card = &small;
  EXPECT_EQ(answered(question).fit, Fit::tight);
}

TEST(Answer, What_follows_an_out_of_memory_error_that_would_not_happen_cannot_be_told) {
  const auto tape = Tape().alloc_segment(kA, 30_MiB).add(Action::oom, 0, 40_MiB).ends_with(kA, 30_MiB, 30_MiB);
  const auto recording = tape.recording();
  const auto card = card_of(200_MiB);
  const auto result = answered(about(recording, card));
  EXPECT_EQ(result.fit, Fit::cannot_tell);
  EXPECT_TRUE(has(result, "beyond_recording"));
}

TEST(Answer, A_program_that_catches_errors_may_get_over_a_new_one) {
  const auto caught = Tape()
                          .alloc_segment(kA, 30_MiB)
                          .add(Action::oom, 0, 400_MiB)
                          .alloc_segment(kB, 40_MiB)
                          .ends_with(kA, 30_MiB, 30_MiB)
                          .ends_with(kB, 40_MiB, 40_MiB);
  const auto recording = caught.recording();
  const auto card = card_of(60_MiB);
  const auto result = answered(about(recording, card));
  EXPECT_TRUE(result.outcome.out_of_memory);
  EXPECT_EQ(result.fit, Fit::cannot_tell);
  EXPECT_TRUE(has(result, "catches_errors"));
  // The last refusal is the end of the recorded program too.
  const auto ended = Tape().alloc_segment(kA, 30_MiB).add(Action::oom, 0, 400_MiB).ends_with(kA, 30_MiB, 30_MiB);
  const auto to_its_end = ended.recording();
  EXPECT_EQ(answered(about(to_its_end, card)).fit, Fit::does_not_fit);
}

TEST(Answer, Other_processes_on_the_device_make_a_fit_tight) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto card = card_of(100_MiB);
  auto question = about(recording, card);
  question.others = {.processes = 2, .peaks = 30_MiB};
  const auto result = answered(question);
  EXPECT_EQ(result.fit, Fit::tight);
  ASSERT_TRUE(has(result, "shares_device"));
  EXPECT_NE(result.caveats.front().text.find("2 other processes"), std::string::npos);
}

TEST(Answer, A_version_that_is_not_known_yet_is_a_caveat) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto result = answered({.recording = &recording, .conditions = {.torch = {9, 9, 0}}});
  ASSERT_TRUE(has(result, "newer_torch"));
  EXPECT_NE(result.caveats.front().text.find("2.15"), std::string::npos);
}

TEST(Answer, Without_a_card_there_is_no_verdict) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto result = answered({.recording = &recording, .conditions = {.torch = kTorch}});
  EXPECT_FALSE(result.fit);
  EXPECT_EQ(result.outcome.peak_reserved, 40_MiB);
}

TEST(Sweep, It_names_the_configuration_with_the_lowest_peak) {
  const auto tape = thirty_then_forty_mebibytes();
  const auto recording = tape.recording();
  const Question question{.recording = &recording, .conditions = {.torch = kTorch}};
  const auto configurations = sensible_configurations(recording, question);
  EXPECT_EQ(configurations.front(), "");
  const auto result = sweep(question, configurations);
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_TRUE(result->best);
  EXPECT_EQ(result->all[*result->best].alloc_conf, "expandable_segments:True");
}

TEST(Sweep, Of_equals_the_default_is_named) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const Question question{.recording = &recording, .conditions = {.torch = kTorch}};
  const auto result = sweep(question, sensible_configurations(recording, question));
  ASSERT_TRUE(result && result->best);
  EXPECT_EQ(*result->best, 0u);
}

TEST(Sweep, A_configuration_that_fits_is_better_than_a_lower_peak_that_took_retries) {
  const auto tape = thirty_then_forty_mebibytes();
  const auto recording = tape.recording();
  const auto card = card_of(75_MiB);  // the default has to give back its cache
  const auto question = about(recording, card);
  const auto result = sweep(question, {"", "expandable_segments:True"});
  ASSERT_TRUE(result && result->best);
  EXPECT_EQ(result->all[0].answer.fit, Fit::tight);
  EXPECT_EQ(result->all[0].answer.outcome.peak_reserved, result->all[1].answer.outcome.peak_reserved);
  EXPECT_EQ(*result->best, 1u);
}

TEST(Sweep, For_less_than_a_hundredth_the_default_stays) {
  // 10 MiB less under expandable segments, where the second tensor lies in what the first one left of its pages.
  const auto best_with = [](Bytes first) {
    const auto tape = Tape()
                          .alloc_segment(kA, first)
                          .add(Action::segment_alloc, kB, 20_MiB)
                          .add(Action::alloc, kB, 3_MiB)
                          .ends_with(kA, first, first)
                          .ends_with(kB, 20_MiB, 3_MiB);
    const auto recording = tape.recording();
    const Question question{.recording = &recording, .conditions = {.torch = kTorch}};
    const auto result = sweep(question, {"", "expandable_segments:True"});
    EXPECT_TRUE(result && result->best);
    EXPECT_EQ(result->all[0].answer.outcome.peak_reserved, first + 20_MiB);
    EXPECT_EQ(result->all[1].answer.outcome.peak_reserved, first + 10_MiB);
    return *result->best;
  };
  EXPECT_EQ(best_with(1010_MiB), 0u);
  EXPECT_EQ(best_with(510_MiB), 1u);
}

TEST(Sweep, Garbage_collection_is_tried_only_under_a_limit) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto card = card_of(100_MiB);
  auto question = about(recording, card);
  const auto collects = [](const std::string& text) { return text.find("garbage_collection") != std::string::npos; };
  EXPECT_TRUE(std::ranges::none_of(sensible_configurations(recording, question), collects));
  question.conditions.fraction = 0.9;
  EXPECT_TRUE(std::ranges::any_of(sensible_configurations(recording, question), collects));
}

TEST(Sweep, A_configuration_that_runs_out_of_memory_is_never_the_best) {
  const auto tape = forty_mebibytes();
  const auto recording = tape.recording();
  const auto card = card_of(40_MiB);
  const auto question = about(recording, card);
  const auto result = sweep(question, sensible_configurations(recording, question));
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->best);
}

}  // namespace
}  // namespace dryfit::whatif
