// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/environment.h"

namespace dryfit::meter {

/// While it lives, no signal reaches this thread; signals stay pending.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// The user's command, running as if we were not there: with our working directory, descriptors, process group and
/// terminal, and with the signal mask that we were started with. We neither limit nor end it, and what it leaves
/// running continues after it has ended. Not thread-safe.
///
/// We become the subreaper of its processes, so that each of them descends from us as long as we run.
class ObservedProcess {
 public:
  /// Fails, with the error for the user, if the command cannot be started. `held` must live from before our first
  /// signal handler is installed until the last one is, so that a signal reaches either neither process or both.
  static Result<ObservedProcess> start(const std::vector<std::string>& command, const launch::Environment& environment,
                                       const SignalsHeld& held);

  /// Reaps processes that have ended. Returns the command's status, as from waitpid(2), once it has ended.
  std::optional<int> reap();

  /// Sends a signal to the command itself, not to what it started. No effect once it has been reaped.
  void signal(int number) const;

 private:
  explicit ObservedProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<int> status_;
};

/// The exit code that a shell reports for a status: 128 plus the signal's number if a signal ended the command.
int shell_code(int status);

}  // namespace dryfit::meter
