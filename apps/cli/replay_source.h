// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_summary.h"
#include "base/result.h"
#include "card/machine.h"
#include "snapshot/snapshot.h"
#include "whatif/answer.h"

namespace dryfit::cli {

/// A recording to be played: a memory snapshot, and what is known of its origin when it came from a dry run of ours.
struct ReplaySource {
  std::filesystem::path file;
  snapshot::Snapshot snapshot;
  std::optional<Machine> machine;                   ///< on which it ran
  std::optional<analysis::ProcessSummary> process;  ///< what its trace tells
  std::vector<analysis::ProcessSummary> others;     ///< the other processes of the run

  /// The version of PyTorch that ran, if known.
  std::optional<std::string> torch() const;
  /// What libraries and kernel code took on the device, if known.
  std::optional<Bytes> libraries(int device) const;
  /// The other processes of the run that took memory of the device.
  whatif::Others others_on(int device) const;
  /// The card that the device was, or null.
  const Card* card(int device) const;
};

/// The snapshot that `path` means: a pickle, the folder of one card's run, or what `dryfit run --save` made when it
/// holds one card's run. Where there are several the Error names them.
Result<std::filesystem::path> find_snapshot(const std::filesystem::path& path);

/// Reads it, with the trace and the machine beside it if there are any.
Result<ReplaySource> read_source(const std::filesystem::path& snapshot);

}  // namespace dryfit::cli
