// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "launch/job.h"
#include "launch/testing.h"

/// Shared by the tests of Job: real programs, mostly shell scripts, in a directory that the scripts see as $HERE.
namespace dryfit::launch {

/// No machine is that slow: what takes longer hangs.
constexpr std::chrono::seconds kPlenty{300};

template <class Condition>
bool wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPlenty;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline bool exists(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

/// The pid that a process wrote to a file, once the line is complete. Never one that means several processes.
inline pid_t wait_for_pid(const std::filesystem::path& file) {
  if (!wait_until([&] { return read_file(file).ends_with('\n'); })) throw std::runtime_error("no " + file.string());
  const pid_t pid = std::stoi(read_file(file));
  if (pid <= 1) throw std::runtime_error("no process id in " + file.string());
  return pid;
}

inline std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

class JobTest : public testing::Test {
 protected:
  JobTest() {
    for (const char* name : {"driver", "hooks", "run", "run2"}) std::filesystem::create_directory(directory_ / name);
    write_file(directory_ / "driver/libcuda.so.1", "");
    write_file(directory_ / "hooks/sitecustomize.py", "");
  }

  JobOptions options(std::vector<std::string> command) const {
    JobOptions result;
    result.command = std::move(command);
    for (char** entry = environ; *entry; ++entry) result.environment.emplace_back(*entry);
    result.environment.push_back("HERE=" + directory_.path().string());
    result.run_directory = directory_ / "run";
    result.driver_directory = directory_ / "driver";
    result.hooks_directory = directory_ / "hooks";
    return result;
  }
  JobOptions shell(const std::string& script) const { return options({"bash", "-c", script}); }

  static Job start(JobOptions given) {
    auto job = Job::start(std::move(given));
    if (!job) throw std::runtime_error(job.error().what);
    return std::move(job).value();
  }
  static JobResult end_of(Job job) {
    if (!job.poll(kPlenty)) throw std::runtime_error("the program did not end");
    return job.finish();
  }
  static Error refusal(JobOptions given) {
    const auto job = Job::start(std::move(given));
    return job ? Error{"started", ""} : job.error();
  }
  static void expect_ending(const JobResult& result, Ending::Kind kind, int code) {
    EXPECT_EQ(static_cast<int>(result.ending.kind), static_cast<int>(kind));
    EXPECT_EQ(result.ending.code, code);
  }

  /// A shell command that leaves a daemon: forked twice, in a session of its own, with an empty environment, ignoring
  /// SIGTERM.
  static std::string daemon(const std::string& name) {
    return "( (exec setsid env -i HERE=$HERE bash -c 'trap \"\" TERM HUP INT; echo $$ > $HERE/" + name +
           "; exec sleep 1000' <&- >&- 2>&-) & ); until [ -s $HERE/" + name + " ]; do sleep 0.01; done; ";
  }

  TemporaryFolder directory_;
};

}  // namespace dryfit::launch
