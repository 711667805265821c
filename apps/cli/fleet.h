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

/// One run of the user's command: on one GPU, or to count.
struct PlannedRun {
  std::string card;            ///< name on the progress line: the GPU, or what the run does
  launch::JobOptions options;  ///< stdin is chosen by the fleet; the rest is used as it is
};

/// The result of a run. One of the two is set, or none: it was not started, or was ended because another could not be
/// started.
struct RunOutcome {
  std::optional<launch::JobResult> result;
  std::optional<Error> error;  ///< it could not be started
};

/// Runs them in parallel, at most `at_once` (at least 1) at a time, and returns when all have ended. Shows progress,
/// gives each a copy of our stdin, and forwards signals to every running program; after a signal no further run starts.
/// When a run cannot be started, all others are ended.
std::vector<RunOutcome> run_all(std::vector<PlannedRun> runs, std::size_t at_once);

}  // namespace dryfit::cli
