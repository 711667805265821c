// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "hook_log.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

using Seconds = HookLog::Seconds;

constexpr const char* kFirstPass =
    R"({"what": "note", "seconds": 0.0, "key": "software.torch", "text": "2.6.0+cpu"}
{"what": "phase", "seconds": 0.1, "name": "load"}
{"what": "phase", "seconds": 5.0, "name": "forward"}
{"what": "phase", "seconds": 9.0, "name": "backward"}
)";

TEST(HookLog, Before_the_first_step_ends_its_time_is_three_forward_passes) {
  const auto log = parse_hook_log(kFirstPass);
  EXPECT_EQ(log.torch, "2.6.0+cpu");
  EXPECT_EQ(log.phase, "backward");
  EXPECT_EQ(log.steps, 0u);
  EXPECT_EQ(log.left(3, Seconds(9)), Seconds(3 * 12 - 4));
}

TEST(HookLog, After_a_step_its_own_time_counts) {
  const auto log = parse_hook_log(std::string(kFirstPass) + R"({"what": "step", "seconds": 15.0, "completed": 1})" +
                                  "\n" + R"({"what": "phase", "seconds": 15.1, "name": "forward"})" + "\n");
  EXPECT_EQ(log.steps, 1u);
  EXPECT_EQ(log.left(3, Seconds(20)), Seconds(2 * 10 - 5));
  EXPECT_EQ(log.left(1, Seconds(20)), std::nullopt);
  EXPECT_EQ(log.left(std::nullopt, Seconds(20)), std::nullopt);
}

TEST(HookLog, A_step_that_takes_longer_than_expected_leaves_zero_time_and_not_less) {
  EXPECT_EQ(parse_hook_log(kFirstPass).left(1, Seconds(100)), Seconds(0));
}

TEST(HookLog, Errors_and_the_batch_are_kept_and_broken_lines_are_skipped) {
  const auto log = parse_hook_log(R"({"what": "note", "seconds": 1, "key": "hooks.error", "text": "x: TypeError: y"}
nonsense
{"what": "batch", "seconds": 1, "from": 64, "to": 4}
{"what": "step", "seconds": "late"}
{"what": "st)");
  EXPECT_EQ(log.errors, std::vector<std::string>{"x: TypeError: y"});
  EXPECT_EQ(log.full_batch, 64u);
  EXPECT_EQ(log.steps, 0u);
}

TEST(HookLog, Without_files_there_is_no_log) { EXPECT_FALSE(furthest({})); }

}  // namespace
}  // namespace dryfit::cli
