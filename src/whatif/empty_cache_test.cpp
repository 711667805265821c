// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/empty_cache.h"

#include <gtest/gtest.h>

#include "whatif/testing.h"

namespace dryfit::whatif {
namespace {

using namespace literals;
using namespace testing;
using Action = snapshot::Action;

std::vector<std::size_t> calls(Tape& tape, bool collects = false) {
  return empty_cache_calls(tape.snapshot(), tape.entries(), 0_B, collects);
}

/// Two segments, the first of them free.
Tape one_cached() { return Tape().in("forward").alloc_segment(kA, 20_MiB).alloc_segment(kB, 20_MiB).free(kA, 20_MiB); }

TEST(EmptyCache, Segments_given_back_before_anything_but_a_new_one_were_asked_for) {
  auto tape = one_cached().add(Action::segment_free, kA, 20_MiB).free(kB, 20_MiB);
  EXPECT_EQ(calls(tape), std::vector<std::size_t>{6});
  auto at_the_end = one_cached().add(Action::segment_free, kA, 20_MiB);
  EXPECT_EQ(calls(at_the_end), std::vector<std::size_t>{6});
}

TEST(EmptyCache, Segments_given_back_in_need_for_a_new_one_were_not) {
  auto tape = one_cached().in("backward").add(Action::segment_free, kA, 20_MiB).alloc_segment(kC, 60_MiB);
  EXPECT_TRUE(calls(tape).empty());
  auto in_vain = one_cached().in("backward").add(Action::segment_free, kA, 20_MiB).add(Action::oom, 0, 90_MiB);
  EXPECT_TRUE(calls(in_vain).empty());
}

TEST(EmptyCache, There_is_no_need_below_what_was_reserved_at_another_time) {
  auto tape = one_cached()
                  .in("validate")
                  .add(Action::segment_free, kA, 20_MiB)
                  .alloc_segment(kC, 60_MiB)
                  .alloc_segment(kA, 100_MiB);
  EXPECT_EQ(calls(tape), std::vector<std::size_t>{6});
  EXPECT_TRUE(calls(tape, true).empty());
}

TEST(EmptyCache, A_stack_of_another_line_than_the_next_request_tells_a_call) {
  auto tape = one_cached().add(Action::segment_free, kA, 20_MiB).in("backward").alloc_segment(kC, 60_MiB);
  EXPECT_EQ(calls(tape), std::vector<std::size_t>{6});
  auto named = one_cached().in("empty_cache").add(Action::segment_free, kA, 20_MiB).alloc_segment(kC, 60_MiB);
  EXPECT_EQ(calls(named), std::vector<std::size_t>{6});
}

TEST(EmptyCache, Segments_given_back_together_are_one_call) {
  auto tape = one_cached().free(kB, 20_MiB).add(Action::segment_free, kA, 20_MiB).add(Action::segment_free, kB, 20_MiB);
  EXPECT_EQ(calls(tape), std::vector<std::size_t>{8});
}

}  // namespace
}  // namespace dryfit::whatif
