// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace dryfit::launch {

/// The system call that a thread waits in.
struct WaitingCall {
  std::string_view name;  ///< "futex"
  int fd = -1;            ///< the descriptor that it waits for; -1: none
  bool is_bounded;        ///< it ends by itself after a time: a sleep, or a wait with a time-out
  bool is_for_child;      ///< it waits for a child process to end
};

/// Reads a line of /proc/<pid>/syscall. nullopt: the thread runs, or it is in no call that waits.
std::optional<WaitingCall> parse_waiting_call(std::string_view line);

/// What that thread waits in now; nullopt also where the system doesn't let us look.
std::optional<WaitingCall> waiting_call(pid_t process, pid_t thread);

/// Whether it waits for the reader of our own output: a pager, or a terminal that was stopped.
bool waits_for_our_reader(const WaitingCall& call, pid_t process);

/// "a pipe (read)"; `process` is the one that waits.
std::string describe(const WaitingCall& call, pid_t process);

}  // namespace dryfit::launch
