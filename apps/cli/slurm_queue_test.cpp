// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "slurm_queue.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

TEST(SlurmQueue, The_id_is_what_sbatch_prints) {
  EXPECT_EQ(parse_job_id("4711\n"), "4711");
  EXPECT_EQ(parse_job_id("4711;cluster\n"), "4711");
  EXPECT_EQ(parse_job_id("4711"), "4711");
  EXPECT_EQ(parse_job_id("Submitted batch job 4711\n"), "");
  EXPECT_EQ(parse_job_id(""), "");
}

TEST(SlurmQueue, Running_and_waiting_tasks_are_counted) {
  const auto state = parse_queue("RUNNING|None\nPENDING|Resources\nPENDING|None\nCOMPLETING|None\n");
  EXPECT_EQ(state.running, 2u);
  EXPECT_EQ(state.waiting, 2u);
  EXPECT_EQ(state.reason, "Resources");
  EXPECT_FALSE(state.ended());
  EXPECT_TRUE(parse_queue("").ended());
}

TEST(SlurmQueue, Endings_are_counted_by_their_word) {
  EXPECT_EQ(parse_accounts("7_0|COMPLETED\n7_1|CANCELLED by 1000\n7_2|TIMEOUT\n7_3|COMPLETED\n"),
            (std::map<std::string, std::size_t>{{"CANCELLED", 1}, {"COMPLETED", 2}, {"TIMEOUT", 1}}));
}

}  // namespace
}  // namespace dryfit::cli
