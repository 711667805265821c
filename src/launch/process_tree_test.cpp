// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/process_tree.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace dryfit::launch {
namespace {

TEST(ProcessTree, A_line_of_stat_is_read_behind_the_command_whatever_it_contains) {
  const auto state = parse_process_state(
      "42 (a) R (b) S 1 42 42 0 -1 4194304 9 0 0 0 30 12 5 5 20 0 1 0 777 1000 100 18446744073709551615");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->pid, 42);
  EXPECT_EQ(state->state, 'S');
  EXPECT_EQ(state->cpu_ticks, 42u);
  EXPECT_EQ(state->started_ticks, 777u);
}

TEST(ProcessTree, A_line_that_is_cut_off_is_none) {
  EXPECT_FALSE(parse_process_state(""));
  EXPECT_FALSE(parse_process_state("42 (a) S 1 42"));
}

TEST(ProcessTree, We_have_a_main_thread_that_has_a_command) {
  EXPECT_EQ(threads_of(::getpid()).front(), ::getpid());
  EXPECT_TRUE(times_slept(::getpid(), ::getpid()));
  EXPECT_NE(command_line_of(::getpid()).find("launch_test"), std::string::npos);
}

TEST(ProcessTree, What_is_gone_has_nothing) {
  EXPECT_TRUE(descendants_of(-1).empty());
  EXPECT_TRUE(threads_of(-1).empty());
  EXPECT_FALSE(times_slept(-1, -1));
  EXPECT_EQ(command_line_of(-1), "");
}

}  // namespace
}  // namespace dryfit::launch
