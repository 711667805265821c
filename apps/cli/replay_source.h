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
#include "whatif/recording.h"

namespace dryfit::cli {

/// A recording to replay: a memory snapshot, and what is known about its origin if it comes from a dry run.
struct ReplaySource {
  std::filesystem::path file;
  snapshot::Snapshot snapshot;
  std::optional<Machine> machine;                   ///< the machine it ran on
  std::optional<analysis::ProcessSummary> process;  ///< what its trace shows
  std::vector<analysis::ProcessSummary> others;     ///< the other processes of the run

  /// The version of PyTorch that ran, if known.
  std::optional<std::string> torch() const;
  /// Memory of libraries and kernel code on the device, if known.
  std::optional<Bytes> libraries(int device) const;
  /// The other processes of the run that used memory of the device.
  whatif::Others others_on(int device) const;
  /// The simulated GPU of the device, or null.
  const Card* card(int device) const;
};

/// The snapshot that `path` means: a pickle, the folder of a run on one GPU, a folder made by `dryfit run --save` that
/// holds one such run, or "last", "last~1" or "last/GPU" for such a run. Where there are several, the Error names them.
Result<std::filesystem::path> find_snapshot(const std::filesystem::path& path);

/// Reads it, with the trace and the description of the machine beside it if they exist.
Result<ReplaySource> read_source(const std::filesystem::path& snapshot);

/// Both, with a notice on the terminal while a large file is read.
Result<ReplaySource> load_source(const std::filesystem::path& path);

/// The requested one of the recorded devices; otherwise the one on which most is reserved at the end of the recording.
Result<int> chosen_device(const ReplaySource& source, const std::vector<int>& recorded, std::optional<int> requested);

/// The recording on that device. `torch`: the version that the user gave; empty: the recorded one. For a foreign file
/// only the oldest version that can have written it is known: the user may know better, and its configuration may need
/// a newer one.
Result<whatif::Recording> prepared(const ReplaySource& source, int device, const std::string& torch = "");

}  // namespace dryfit::cli
