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

/// While it lives, no signal reaches this thread; what comes waits.
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
/// terminal, and with the signals that we were started with. It is neither limited nor ended by us, and what it leaves
/// running goes on when it has ended. Not thread-safe.
///
/// We become the subreaper of what it starts, so that each of its processes descends from us as long as we run.
class ObservedProcess {
 public:
  /// Fails, with the sentence for the user, when the command cannot be started. `held` is there from before any handler
  /// of ours is installed until all are, so that a signal meets either none of us or both.
  static Result<ObservedProcess> start(const std::vector<std::string>& command, const launch::Environment& environment,
                                       const SignalsHeld& held);

  /// Reaps what has ended; the command's status as of waitpid(2), once it has.
  std::optional<int> reap();

  /// To the command itself, not to what it started. Without effect once it has been reaped.
  void signal(int number) const;

 private:
  explicit ObservedProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
  std::optional<int> status_;
};

/// The exit code that a shell shows for a status: 128 and the signal's number for a command that a signal ended.
int shell_code(int status);

}  // namespace dryfit::meter
