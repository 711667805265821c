// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "explain/explanation.h"
#include "snapshot/snapshot.h"

namespace dryfit::cli {

/// The explanation of a kept run, with the data it was made from.
struct ExplainedRun {
  std::filesystem::path history;  ///< PyTorch's memory snapshot of the process that is explained
  snapshot::Snapshot snapshot;
  explain::Explanation explanation;
};

/// Explains the run in one folder; if it had several processes, the one that allocated most. An Error when the folder
/// has no memory history.
Result<ExplainedRun> explain_folder(const std::filesystem::path& folder);

/// The same for a RUN on the command line: the folder of a run on one GPU, a folder made by `dryfit run --save`,
/// "last", "last~1", or a memory snapshot from elsewhere. `gpu` selects one of several GPUs; empty: there must be only
/// one.
Result<ExplainedRun> explain_run(const std::string& run, const std::string& gpu);

}  // namespace dryfit::cli
