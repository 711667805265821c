// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>

#include "launch/job.h"

namespace dryfit::cli {

struct CaughtSignal {
  int number;
  launch::SignalOrigin origin;
};

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT are caught and queued instead of ending us; those that were
/// ignored when we started (nohup) stay ignored. SIGPIPE is ignored. One at a time.
class SignalQueue {
 public:
  /// `more` are caught likewise; SIGCHLD also when it was ignored.
  explicit SignalQueue(std::initializer_list<int> more = {});
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue();

  /// Readable when a signal is queued.
  int wait_fd() const;

  std::optional<CaughtSignal> next();
};

}  // namespace dryfit::cli
