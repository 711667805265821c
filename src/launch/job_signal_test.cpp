// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/time.h>

#include <csignal>

#include "launch/job_fixture.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Kind = Ending::Kind;

TEST_F(JobTest, Signals_that_we_block_or_ignore_work_in_the_program) {
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  const JobResult terminated = end_of(start(shell("kill -TERM $$; exit 1")));
  const JobResult piped = end_of(start(shell("kill -PIPE $$; exit 1")));
  std::signal(SIGPIPE, old);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  expect_ending(terminated, Kind::signalled, SIGTERM);
  expect_ending(piped, Kind::signalled, SIGPIPE);
}

TEST_F(JobTest, An_interruption_reaches_the_program_and_its_own_handler_ends_it) {
  Job job = start(shell("trap 'touch $HERE/handled; exit 5' TERM; echo > $HERE/ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "ready"); }));
  job.forward_signal(SIGTERM);
  expect_ending(end_of(std::move(job)), Kind::interrupted, SIGTERM);
  EXPECT_TRUE(fs::exists(directory_ / "handled"));
}

TEST_F(JobTest, An_interruption_by_the_terminal_is_not_delivered_twice) {
  JobOptions given = shell("trap 'touch $HERE/handled' INT; echo > $HERE/ready; while :; do sleep 0.01; done");
  given.interrupt_grace = 300ms;
  Job job = start(given);
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "ready"); }));
  job.forward_signal(SIGINT, SignalOrigin::terminal);
  expect_ending(end_of(std::move(job)), Kind::interrupted, SIGINT);
  EXPECT_FALSE(fs::exists(directory_ / "handled"));
}

TEST_F(JobTest, A_second_interruption_kills_but_an_echo_of_the_first_does_not) {
  Job job = start(shell("trap 'echo >> $HERE/handled' TERM; echo > $HERE/ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "ready"); }));
  job.forward_signal(SIGTERM);
  job.forward_signal(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "handled"); }));
  EXPECT_FALSE(job.poll(250ms));
  job.forward_signal(SIGINT);
  expect_ending(end_of(std::move(job)), Kind::interrupted, SIGTERM);
  EXPECT_EQ(read_file(directory_ / "handled"), "\n");
}

TEST_F(JobTest, A_signal_that_is_not_an_interruption_is_only_passed_on) {
  Job job = start(shell("trap 'exit 9' USR1; echo > $HERE/ready; while :; do sleep 0.01; done"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(directory_ / "ready"); }));
  job.forward_signal(SIGUSR1);
  expect_ending(end_of(std::move(job)), Kind::exited, 9);
}

TEST_F(JobTest, A_signal_handler_ends_the_wait_early) {
  Job job = start(options({"sleep", "1000"}));
  struct sigaction action{}, before;
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);
  const itimerval again_and_again{{0, 50'000}, {0, 50'000}};  // one of them comes while it waits
  ::setitimer(ITIMER_REAL, &again_and_again, nullptr);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(job.poll(kPlenty));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPlenty);
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
}

}  // namespace
}  // namespace dryfit::launch
