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

/// The explanation of a run that is kept, with what it was made from.
struct ExplainedRun {
  std::filesystem::path history;  ///< PyTorch's memory snapshot of the process that is explained
  snapshot::Snapshot snapshot;
  explain::Explanation explanation;
};

/// Explains the run in one folder: of several processes the one that allocated most. An Error when there is no memory
/// history in it.
Result<ExplainedRun> explain_folder(const std::filesystem::path& folder);

/// The same for a RUN of the command line: a folder of one card's run, what `dryfit run --save` made, "last", "last~1",
/// or a memory snapshot from elsewhere. Of a run on several cards `gpu` names one; empty: there must be only one.
Result<ExplainedRun> explain_run(const std::string& run, const std::string& gpu);

}  // namespace dryfit::cli
