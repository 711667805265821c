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

/// The available data for one process on one device. The pointers may be null, and need not outlive the call.
struct Source {
  const snapshot::Snapshot* snapshot = nullptr;  ///< never null
  int device = 0;
  simulator::TorchVersion torch;
  const Marks* marks = nullptr;
  const analysis::ProcessSummary* process = nullptr;
};

/// Explains what every allocation was for (Note [Categories] in categories.h) and what it belonged to (Note [Owners] in
/// owners.h). Without marks, categories are unknown, and owners are known only by line. An Error if nothing was
/// recorded for the device. Diagnostics:
///   explain.marks_disagree   the marks do not belong to this history, and were not used
Result<Explanation> explain(const Source& source);

}  // namespace dryfit::explain
