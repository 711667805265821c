// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/replay.h"
#include "report/style.h"
#include "trace/reader.h"

namespace dryfit::cli {

/// What a running program is doing, read from the traces that it writes.
class LiveView {
 public:
  struct State {
    analysis::Moment now;
    Bytes used;
  };

  /// Reads what is new in these traces. Returns the state of the process that uses most memory; none: no process has
  /// written anything yet.
  std::optional<State> look(const std::vector<std::filesystem::path>& traces);

 private:
  struct Followed {
    trace::Reader reader;
    analysis::Replay replay;
  };
  std::map<std::filesystem::path, Followed> followed_;
};

/// "step 2/3, backward  1.21 GiB"; `steps` are the requested ones.
std::string progress_text(const LiveView::State& state, const std::optional<std::uint64_t>& steps);

/// The same for a profiled program, with the remaining time if known; empty while its hooks have written nothing.
std::string progress_text(const std::vector<std::filesystem::path>& logs, const std::optional<std::uint64_t>& steps);

/// A line on stderr that is redrawn while programs run. Drawn only on a terminal, and not in the first second. It is
/// below the cursor's line, which is left empty: a line that the program prints there stays clean, and what it leaves of
/// ours is erased when ours is drawn again.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }

  bool wanted() const { return wanted_; }

  /// True when it is time to draw again.
  bool due() const;

  struct Content {
    std::string card;
    std::string doing;  ///< what the program is doing; empty: it is starting
    std::size_t done = 0;
    std::size_t all = 0;
  };
  void draw(const Content& content);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string text_of(const Content& content) const;

  bool wanted_;
  bool drawn_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
};

}  // namespace dryfit::cli
