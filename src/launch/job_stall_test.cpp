// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/job_fixture.h"

namespace dryfit::launch {
namespace {

using namespace std::chrono_literals;
using Kind = Ending::Kind;

class StallTest : public JobTest {
 protected:
  static constexpr auto kPatience = 1s;

  JobResult run(const std::string& script) const {
    auto given = shell(script);
    given.stall_patience = kPatience;
    return end_of(start(given));
  }

  static void expect_stall(const JobResult& result, const std::string& what) {
    expect_ending(result, Kind::stalled, 0);
    EXPECT_NE(result.stall.find(what), std::string::npos) << result.stall;
    EXPECT_GE(result.wall, kPatience);
  }
};

TEST_F(StallTest, A_program_that_reads_what_nobody_writes_is_ended_and_named) {
  const auto result = run("mkfifo $HERE/fifo; exec 5<>$HERE/fifo; read -u 5 line");
  expect_stall(result, "was waiting for '" + (directory_ / "fifo").string() + "' (read)");
  EXPECT_NE(result.stall.find("(bash -c "), std::string::npos) << result.stall;
}

TEST_F(StallTest, A_file_that_nobody_opens_at_the_other_end_is_waited_for) {
  expect_stall(run("mkfifo $HERE/fifo; read line < $HERE/fifo"), "for a file that can't be opened yet");
}

TEST_F(StallTest, The_processes_that_wait_are_named_and_not_their_parent) {
  const auto result = run("mkfifo $HERE/a $HERE/b; cat $HERE/a > $HERE/b & cat $HERE/b > $HERE/a & wait");
  expect_ending(result, Kind::stalled, 0);
  EXPECT_EQ(result.stall.find("for a child process"), std::string::npos) << result.stall;
  EXPECT_NE(result.stall.find("; process "), std::string::npos) << result.stall;
}

TEST_F(StallTest, A_full_pipe_that_nobody_empties_is_a_stall) {
  expect_stall(run("mkfifo $HERE/fifo; exec 5<>$HERE/fifo; while :; do echo 0123456789; done >&5"), "fifo' (write)");
}

TEST_F(StallTest, A_program_that_sleeps_longer_is_not_cut) { expect_ending(run("sleep 3; exit 5"), Kind::exited, 5); }

TEST_F(StallTest, A_program_that_waits_for_a_child_that_sleeps_is_not_cut) {
  expect_ending(run("(sleep 3) & wait; exit 5"), Kind::exited, 5);
}

TEST_F(StallTest, A_program_that_computes_is_not_cut) {
  expect_ending(run("end=$((SECONDS + 3)); while ((SECONDS < end)); do :; done; exit 5"), Kind::exited, 5);
}

TEST_F(StallTest, A_program_whose_output_the_user_does_not_read_is_not_cut) {
  const int own_output = ::dup(STDOUT_FILENO);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::dup2(ends[1], STDOUT_FILENO);
  auto given = shell("touch $HERE/begun; for i in {1..20000}; do echo 0123456789; done; exit 5");
  given.stall_patience = kPatience;
  Job job = start(given);
  EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(directory_ / "begun"); }));
  EXPECT_FALSE(job.poll(4 * kPatience));
  ::dup2(own_output, STDOUT_FILENO);
  ::close(own_output);
  ::close(ends[1]);
  std::jthread reader([&] {
    for (char text[4096]; ::read(ends[0], text, sizeof text) > 0;) {
    }
  });
  expect_ending(end_of(std::move(job)), Kind::exited, 5);
  reader.join();
  ::close(ends[0]);
}

TEST_F(StallTest, Without_a_limit_a_program_may_wait) {
  Job job = start(shell("mkfifo $HERE/fifo; touch $HERE/ready; read line < $HERE/fifo; exit 5"));
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(directory_ / "ready"); }));
  EXPECT_FALSE(job.poll(2s));
  write_file(directory_ / "fifo", "go\n");
  expect_ending(end_of(std::move(job)), Kind::exited, 5);
}

}  // namespace
}  // namespace dryfit::launch
