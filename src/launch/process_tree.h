// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dryfit::launch {

/// A process as /proc shows it at one moment.
struct ProcessState {
  pid_t pid = 0;
  char state = '?';                 ///< R runs, S sleeps, D waits for a disk, T is stopped, Z has ended
  std::uint64_t cpu_ticks = 0;      ///< of all its threads, in sysconf(_SC_CLK_TCK) per second
  std::uint64_t started_ticks = 0;  ///< when; with the pid it names a process for good
};

/// Reads a line of /proc/<pid>/stat.
std::optional<ProcessState> parse_process_state(std::string_view line);

/// All that descend from a process, without itself, parents first. Some of those that come or go meanwhile may be missing.
std::vector<ProcessState> descendants_of(pid_t root);

/// The threads of a process, the main thread first.
std::vector<pid_t> threads_of(pid_t process);

/// How often a thread has gone to sleep of its own accord; nullopt: it is gone.
std::optional<std::uint64_t> times_slept(pid_t process, pid_t thread);

/// "python train.py", cut after some sixty characters.
std::string command_line_of(pid_t process);

}  // namespace dryfit::launch
