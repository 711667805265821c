// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "captured.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

TEST(Captured, Output_errors_and_code_are_kept_apart) {
  const auto ran = run_captured({"sh", "-c", "cat; echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(ran) << ran.error().what;
  EXPECT_EQ(ran->code, 3);
  EXPECT_EQ(ran->output, "out\n");
  EXPECT_EQ(ran->errors, "err\n");
}

TEST(Captured, Much_output_is_kept_whole) {
  EXPECT_EQ(run_captured({"sh", "-c", "seq 100000 | tr -d '\\n'"})->output.size(), 488'895u);
}

TEST(Captured, A_command_that_is_not_there_is_named) {
  const auto ran = run_captured({"no-such-command"});
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().what.find("'no-such-command'"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
