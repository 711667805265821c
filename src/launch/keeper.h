// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "launch/environment.h"
#include "launch/keeper_process.h"
#include "launch/write_layer.h"

namespace dryfit::launch {

/// A program to start, with its arguments, environment and standard files.
struct Program {
  std::filesystem::path file;
  std::vector<std::string> arguments;  ///< argv, including the name it is called by
  Environment environment;
  int standard_fds[3];          ///< stdin, stdout, stderr; -1 or a closed descriptor means /dev/null
  WriteLayer* layer = nullptr;  ///< for what it writes; must outlive the keeper. None: it writes to the user's files
};

/// Note [The keeper]
///
/// Between us and the program runs a small process of our own, the keeper: a fork of us that is the program's parent
/// and the subreaper of everything the program starts, and does nothing else.
///
///     dryfit ── keeper ── python train.py ── workers, daemons, …
///
/// - Whatever the program's processes do (fork twice, start a session of their own, clear their environment), they
///   become children of the keeper when their parent dies. So a process belongs to this job if and only if it descends
///   from this keeper: jobs side by side cannot be confused, and no marks or process ids need to be remembered.
/// - The keeper reaps them all. There are no zombies, and it learns the largest resident set among them.
/// - The keeper reads from a socket, and we hold the other end. However we end (kill -9 included), it reads the end of
///   file and kills what is left. PR_SET_PDEATHSIG on the program alone would spare its children.
/// - To kill the tree, it kills its own children and reaps them, finds that their children are now its own, and repeats
///   this until none are left. Nobody else reaps, so no process id it signals can have been reused.
///
/// The program stays in our process group and session, so that the terminal treats it as if we were not there; the
/// keeper moves to a session of its own, so that signals to the group do not reach it. If somebody kills the keeper
/// itself, the program is killed with it, but processes that the program started are out of our reach.

/// Our end of a keeper. Not thread-safe. The destructor kills the tree and waits for it.
class Keeper {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the program under a new keeper; returns once the program runs, or with the reason why it could not start.
  static Result<Keeper> start(const Program& program);
  Keeper(Keeper&&) noexcept = default;
  Keeper& operator=(Keeper&&) = delete;
  ~Keeper();

  enum class Wait { news, expired, interrupted };
  /// Sleeps until the keeper has news, `until` has passed, or a signal handler ran. A time in the past only looks.
  Wait wait(Clock::time_point until);

  /// Readable when there is news.
  int descriptor() const { return channel_.get(); }

  /// The keeper's own process, the root of the tree.
  pid_t pid() const { return pid_; }

  /// How the program ended, as reported by waitpid(2); nothing while it runs.
  std::optional<int> status() const { return status_; }
  /// True when no process of the tree is left.
  bool tree_gone() const { return tree_gone_; }
  /// The largest resident set of any process reaped so far. A process starts as a copy of the one that forks it, so
  /// this is never less than what we ourselves used when the program was started.
  Bytes peak_rss() const { return peak_rss_; }

  /// Sends a signal to the program, not to what it started. Has no effect once the program has ended.
  void signal_program(int signal);
  /// Kills every process of the tree. Returns at once; wait() reports when they are gone.
  void kill_tree();

 private:
  Keeper(pid_t pid, UniqueFd channel) : pid_(pid), channel_(std::move(channel)) {}
  void take(const KeeperReport& report);
  void close_books();

  pid_t pid_;
  UniqueFd channel_;
  std::optional<int> status_;
  bool tree_gone_ = false;
  Bytes peak_rss_;
};

}  // namespace dryfit::launch
