// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <csignal>

#include "launch/job_fixture.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Kind = Ending::Kind;

/// Whether it still does anything: a zombie whose new parent is slow to reap it does not.
bool runs(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t state = stat.rfind(") ");
  return state != std::string::npos && stat[state + 2] != 'Z';
}

TEST_F(JobTest, The_timeout_kills_the_program_and_a_daemon_that_it_left) {
  JobOptions given = shell(daemon("pid") + "trap 'touch $HERE/checkpoint' TERM; sleep 1000 & wait; sleep 1000");
  for (given.timeout = 500ms; !fs::exists(directory_ / "pid") && *given.timeout < kPlenty / 2; *given.timeout *= 2) {
    const JobResult result = end_of(start(given));
    expect_ending(result, Kind::timed_out, 0);
    EXPECT_GE(result.wall, *given.timeout);
  }
  EXPECT_FALSE(exists(wait_for_pid(directory_ / "pid")));
  EXPECT_FALSE(fs::exists(directory_ / "checkpoint"));
}

TEST_F(JobTest, What_the_command_left_running_is_killed) {
  const JobResult result = end_of(
      start(shell(daemon("pid") +
                  "(trap 'touch $HERE/checkpoint' TERM; echo $BASHPID > $HERE/pid2; while :; do sleep 0.05; done) & "
                  "until [ -s $HERE/pid2 ]; do sleep 0.01; done; exit 4")));
  expect_ending(result, Kind::exited, 4);
  EXPECT_FALSE(exists(wait_for_pid(directory_ / "pid")));
  EXPECT_FALSE(exists(wait_for_pid(directory_ / "pid2")));
  EXPECT_FALSE(fs::exists(directory_ / "checkpoint"));
}

TEST_F(JobTest, A_process_that_tidies_up_after_the_command_has_time_to_do_so) {
  end_of(start(shell("(sleep 0.05; : > $HERE/tidy) & exit 0")));
  EXPECT_TRUE(fs::exists(directory_ / "tidy"));
}

TEST_F(JobTest, The_process_tree_goes_with_the_job) {
  pid_t left = -1;
  {
    const Job job = start(shell(daemon("pid") + "sleep 1000"));
    left = wait_for_pid(directory_ / "pid");
    EXPECT_TRUE(exists(left));
  }
  EXPECT_FALSE(exists(left));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(JobTest, The_process_tree_goes_with_us_when_we_are_killed) {
  const pid_t us = ::fork();
  if (us == 0) {
    const Job job = start(shell("echo $$ > $HERE/program; " + daemon("pid") + "sleep 1000"));
    wait_for_pid(directory_ / "pid");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(us, &status, 0), us);
  ASSERT_TRUE(WIFSIGNALED(status));
  const pid_t program = wait_for_pid(directory_ / "program");
  const pid_t left = wait_for_pid(directory_ / "pid");
  EXPECT_TRUE(wait_until([&] { return !exists(program) && !exists(left); }));
}

TEST_F(JobTest, Jobs_side_by_side_end_only_their_own_processes) {
  JobOptions second_options = shell(daemon("second") + "touch $HERE/ready; sleep 1000");
  second_options.run_directory = directory_ / "run2";
  Job second = start(second_options);
  Job first = start(shell(daemon("first") + "exit 3"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "ready"); }));
  const pid_t left_by_second = wait_for_pid(directory_ / "second");

  expect_ending(end_of(std::move(first)), Kind::exited, 3);
  EXPECT_FALSE(exists(wait_for_pid(directory_ / "first")));
  EXPECT_TRUE(exists(left_by_second));
  EXPECT_FALSE(second.poll(0ms));

  second = start(options({"true"}));
  EXPECT_FALSE(exists(left_by_second));
  expect_ending(end_of(std::move(second)), Kind::exited, 0);
}

TEST_F(JobTest, A_stopped_program_is_waited_for_and_can_be_killed) {
  JobOptions given = shell("echo $$ > $HERE/pid; kill -STOP $$; sleep 1000");
  given.timeout = 500ms;
  expect_ending(end_of(start(given)), Kind::timed_out, 0);
  EXPECT_FALSE(exists(wait_for_pid(directory_ / "pid")));
}

TEST_F(JobTest, A_keeper_that_is_killed_takes_the_program_with_it) {
  Job job = start(shell("echo $PPID > $HERE/keeper; echo $$ > $HERE/pid; exec sleep 1000"));
  const pid_t program = wait_for_pid(directory_ / "pid");
  ::kill(wait_for_pid(directory_ / "keeper"), SIGKILL);
  expect_ending(end_of(std::move(job)), Kind::signalled, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return !runs(program); }));
}

TEST_F(JobTest, Fifty_jobs_leave_no_file_open_and_no_child_behind) {
  end_of(start(options({"true"})));
  const auto before = open_files();
  for (int i = 0; i < 50; ++i) end_of(start(options({"/bin/true"})));
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace dryfit::launch
