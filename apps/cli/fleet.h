// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/job.h"

namespace dryfit::cli {

/// One run of the user's command: on one card, or to count.
struct PlannedRun {
  std::string card;            ///< for the progress line; what it does where no card is asked about
  launch::JobOptions options;  ///< stdin is chosen by the fleet; all else is used as it is
};

/// How a run came out. One of the two is there, or none: it was not started, or ended because another could not be.
struct RunOutcome {
  std::optional<launch::JobResult> result;
  std::optional<Error> error;  ///< it could not be started
};

/// Runs them side by side, at most `at_once` (at least 1) at a time, and returns when all have ended. Shows progress,
/// shares out our stdin, and hands on signals to every running program; once a signal came, no further run is started.
/// When a run cannot be started, all others are ended.
std::vector<RunOutcome> run_all(std::vector<PlannedRun> runs, std::size_t at_once);

}  // namespace dryfit::cli
