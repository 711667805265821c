// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/repetition.h"

#include <gtest/gtest.h>

#include <string>

#include "whatif/play.h"
#include "whatif/testing.h"

namespace dryfit::whatif {
namespace {

using namespace literals;
using namespace testing;

/// "+0:40 -0 +1:30": allocates into a slot that many MiB, frees it.
Recording steps_of(const std::string& text) {
  Recording recording{.torch = kTorch};
  for (std::size_t at = 0; at < text.size(); at = text.find_first_not_of(' ', text.find(' ', at))) {
    Operation operation{.kind = text[at] == '+' ? Operation::Kind::malloc : Operation::Kind::free,
                        .slot = static_cast<Slot>(text[at + 1] - '0'),
                        .entry = static_cast<std::uint32_t>(recording.operations.size())};
    if (text[at] == '+') operation.size = Bytes{std::stoull(text.substr(at + 3)) << 20};
    recording.operations.push_back(operation);
    if (text.find(' ', at) == std::string::npos) break;
  }
  recording.slots = 10;
  return recording;
}

std::string text_of(const Recording& recording) {
  std::string text;
  for (const auto& operation : recording.operations) {
    const bool frees = operation.kind == Operation::Kind::free;
    text += (text.empty() ? "" : " ") + std::string(frees ? "-" : "+") + std::to_string(operation.slot);
  }
  return text;
}

std::optional<double> retries_of_step(const Recording& recording, const EntryRange& step, Bytes cap) {
  const auto found = retries_per_step(recording, step, {.torch = kTorch, .cap = cap});
  EXPECT_TRUE(found);
  return *found;
}

TEST(Repetition, A_closed_step_is_played_again_with_memory_of_its_own) {
  const auto recording = steps_of("+0:40 +1:30 -1 +2:20 -2");
  EXPECT_EQ(text_of(with_repetitions(recording, {3, 5}, 2)), "+0 +1 -1 +2 -2 +10 -10 +11 -11");
}

TEST(Repetition, What_a_step_leaves_is_what_the_next_frees) {
  const auto recording = steps_of("+0:40 +1:30 -0 +2:40 -1 +3:30");
  EXPECT_EQ(text_of(with_repetitions(recording, {2, 6}, 2)), "+0 +1 -0 +2 -1 +3 -2 +10 -3 +11 -10 +12 -11 +13");
}

TEST(Repetition, What_a_step_leaves_in_addition_does_not_pile_up) {
  const auto recording = steps_of("+0:40 +1:30");
  EXPECT_EQ(text_of(with_repetitions(recording, {1, 2}, 2)), "+0 +1 +10 -10 +11 -11");
}

TEST(Repetition, What_came_after_the_step_is_left_out) {
  const auto recording = steps_of("+0:40 +1:30 -1 -0");
  EXPECT_EQ(text_of(with_repetitions(recording, {1, 3}, 1)), "+0 +1 -1 +10 -10");
}

/// 30 MiB and then 40 MiB, which finds no room in what the 30 left. After one retry all fits into the 40.
TEST(Repetition, Retries_of_the_first_steps_are_not_those_of_the_long_run) {
  const auto recording = steps_of("+0:30 -0 +1:40 -1");
  EXPECT_EQ(play(recording, {.torch = kTorch, .cap = 60_MiB})->alloc_retries, 1u);
  EXPECT_EQ(retries_of_step(recording, {0, 4}, 60_MiB), 0);
  EXPECT_EQ(retries_of_step(recording, {0, 4}, 100_MiB), 0);
}

TEST(Repetition, A_job_that_fails_has_no_retries_in_the_long_run) {
  EXPECT_EQ(retries_of_step(steps_of("+0:30 -0 +1:40 -1"), {0, 4}, 30_MiB), std::nullopt);
}

/// What is left of each step keeps the next from releasing the segment that it is in.
TEST(Repetition, Memory_that_is_handed_on_counts_in_every_repetition) {
  const auto recording = steps_of("+0:40 +1:40 -0 +2:60 -2");
  EXPECT_EQ(retries_of_step(recording, {1, 5}, 200_MiB), 0);
  EXPECT_EQ(retries_of_step(recording, {1, 5}, 90_MiB), std::nullopt);
}

}  // namespace
}  // namespace dryfit::whatif
