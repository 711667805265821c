// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "history/record.h"
#include "launch/environment.h"

namespace dryfit::cli {

/// A command that has run on this machine's GPUs.
struct CommandRun {
  int code = 0;                    ///< as a shell shows it
  Result<history::Record> record;  ///< what it used; the Error says why that is not known
};

/// Runs the command to its end, unchanged: signals to us are passed on to it, its output is its own. Meanwhile NVML is
/// queried for what its processes hold, and PyTorch's counts are taken from each at its end. The Error says why it could not
/// be started.
Result<CommandRun> run_measured(const std::vector<std::string>& command, const launch::Environment& environment);

/// Whether a command that ended like this may be recorded: one that failed for another reason than memory may have
/// ended before its peak.
bool reached_its_peak(const CommandRun& run);

}  // namespace dryfit::cli
