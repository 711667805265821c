// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace dryfit::cli {

struct HarvestState {
  std::size_t done = 0;
  std::size_t all = 0;
  std::size_t running = 0;
  double elapsed_seconds = 0;  ///< since the first job was started
};

/// "dryfit: 12 of 300 jobs done, 2 running, about 25 min left". The time is left out until a job has ended.
std::string harvest_progress_text(const HarvestState& state);

/// The same for a harvest that runs as tasks of a batch system.
struct ArrayProgress {
  std::size_t done = 0;
  std::size_t all = 0;
  std::size_t running = 0;  ///< tasks
  std::size_t waiting = 0;  ///< the same
  std::string reason;       ///< why they wait; may be empty
};

/// "dryfit: 12 of 300 jobs done, tasks: 2 running, 6 waiting (Resources)".
std::string array_progress_text(const ArrayProgress& progress);

/// Shows the progress of a harvest on stderr: a line that is redrawn on a terminal, or one line per minute elsewhere.
class HarvestProgress {
 public:
  HarvestProgress();
  ~HarvestProgress() { clear(); }

  bool due() const;

  /// The elapsed time is filled in.
  void draw(HarvestState state);
  void show(std::string text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool drawn_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
};

}  // namespace dryfit::cli
