// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/observed_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/temporary_folder.h"
#include "meter/process_tree.h"

namespace dryfit::meter {
namespace {

const launch::Environment kPath{"PATH=/usr/bin:/bin", "WORD=hello"};

Result<ObservedProcess> start(const std::string& script) {
  const SignalsHeld held;
  return ObservedProcess::start({"sh", "-c", script}, kPath, held);
}

int code_of(ObservedProcess& process) {
  for (;;) {
    if (const auto status = process.reap()) return shell_code(*status);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(ObservedProcess, The_exit_code_is_the_commands) {
  auto process = start("exit 7");
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_EQ(code_of(*process), 7);
}

TEST(ObservedProcess, The_command_gets_the_environment_it_is_given) {
  auto process = start("test \"$WORD\" = hello && test -z \"$HOME\"");
  EXPECT_EQ(code_of(*process), 0);
}

TEST(ObservedProcess, A_signal_is_passed_on_and_seen_in_the_code) {
  const TemporaryFolder folder;
  const auto ready = folder / "ready";
  auto handled = start("trap 'exit 9' USR1; : > '" + ready.string() + "'; while :; do sleep 0.01; done");
  while (!std::filesystem::exists(ready)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  handled->signal(SIGUSR1);
  EXPECT_EQ(code_of(*handled), 9);
  auto killed = start("exec sleep 100");
  killed->signal(SIGTERM);
  EXPECT_EQ(code_of(*killed), 128 + SIGTERM);
}

TEST(ObservedProcess, The_command_has_the_signal_mask_that_we_had) {
  auto process = start("grep -q 'SigBlk:.0000000000000000' /proc/self/status");
  EXPECT_EQ(code_of(*process), 0);
}

TEST(ObservedProcess, What_the_command_leaves_behind_goes_on_and_descends_from_us) {
  char name[] = "/tmp/observed-process-XXXXXX";
  const int file = ::mkstemp(name);
  auto process = start("sleep 100 & echo $! > " + std::string(name));
  EXPECT_EQ(code_of(*process), 0);
  char text[32] = {};
  EXPECT_GT(::pread(file, text, sizeof text - 1, 0), 0);
  const pid_t left = std::atoi(text);
  EXPECT_EQ(::kill(left, 0), 0);
  EXPECT_TRUE(descends_from(left, ::getpid()));
  ::kill(left, SIGKILL);
  ::close(file);
  ::unlink(name);
}

TEST(ObservedProcess, A_command_that_is_not_there_is_named) {
  const SignalsHeld held;
  const auto process = ObservedProcess::start({"no-such-command"}, kPath, held);
  ASSERT_FALSE(process);
  EXPECT_NE(process.error().what.find("no-such-command"), std::string::npos);
  EXPECT_FALSE(ObservedProcess::start({}, kPath, held));
}

}  // namespace
}  // namespace dryfit::meter
