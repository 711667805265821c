// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/run_summary.h"
#include "base/result.h"
#include "explain/explanation.h"
#include "explain/marks.h"
#include "simulator/torch_version.h"
#include "snapshot/snapshot.h"

namespace dryfit::explain {

/// What there is of one process on one device. The pointers may be null, and need not outlive the call.
struct Source {
  const snapshot::Snapshot* snapshot = nullptr;  ///< never null
  int device = 0;
  simulator::TorchVersion torch;
  const Marks* marks = nullptr;
  const analysis::ProcessSummary* process = nullptr;
};

/// Tells of every allocation what it was for (Note [Categories] in categories.h) and whose it was (Note [Owners] in
/// owners.h). Without marks categories are unknown, and lines are all that is known of owners. An Error when nothing
/// was recorded for the device. Diagnostics:
///   explain.marks_disagree   the marks are not of this history, and were not used
Result<Explanation> explain(const Source& source);

}  // namespace dryfit::explain
