// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/process_tree.h"

namespace dryfit::launch {

/// Note [Stalls]
///
/// A dry run executes programs whose partner is missing: another rank, a server, somebody at a terminal. Such a program
/// waits for ever. A run is stalled when none of its processes does anything for a while:
///
/// - No process came or went, none is running, stopped or waiting for a disk, and together they used less than
///   kIdleShare of one core. A call of the driver or a line of output costs more than that.
/// - They wait without a time-out: the main thread of each process, and no other thread is in the middle of a long
///   sleep. Threads that wake up now and then to look around, and do nothing, don't count.
///
/// Where somebody does wait with a time-out, the run is given kSleepFactor times as long: a program may sleep between its
/// steps, or wait for a partner with a time-out of its own and then say better than we can what was missing. The same
/// holds where the system doesn't show what a thread waits for.
///
/// A program that waits until the user reads our output isn't stalled at all. Time in which we did not look doesn't count: we, too, can be stopped.

/// Watches the tree below a process. Not thread-safe.
class StallWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{1000};  ///< how often to look
  static constexpr int kSleepFactor = 15;

  StallWatch(pid_t root, std::chrono::milliseconds patience) : root_(root), patience_(patience) {}

  /// Looks at the tree. If it is stalled: who waits for what, "process 4711 (python train.py) was waiting for a pipe
  /// (read)".
  std::optional<std::string> look(Clock::time_point now);

 private:
  using Naps = std::map<std::pair<pid_t, pid_t>, std::uint64_t>;

  bool moved(const std::vector<ProcessState>& processes);
  bool somebody_sleeps(const std::vector<ProcessState>& processes) const;

  pid_t root_;
  std::chrono::milliseconds patience_;
  std::optional<Clock::time_point> last_look_;
  std::chrono::milliseconds quiet_{0};
  std::vector<std::pair<pid_t, std::uint64_t>> members_;  ///< when the silence began
  std::uint64_t ticks_ = 0;                               ///< the same
  Naps naps_;                                             ///< how often each thread had slept at half of the patience
};

}  // namespace dryfit::launch
