// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "explain/explanation.h"
#include "verdict/limits.h"
#include "whatif/conditions.h"
#include "whatif/limits.h"
#include "whatif/recording.h"
#include "whatif/repetition.h"

namespace dryfit::cli {

/// A job whose caps are studied by replay.
struct StudiedJob {
  const whatif::Recording* recording = nullptr;
  whatif::Conditions conditions;           ///< version and configuration
  std::optional<whatif::EntryRange> step;  ///< the last whole one; none: not known
  Bytes total;                             ///< memory of the GPU
};

/// The entries of the last step that was completed; none: the run had no marks of ours, or no step.
std::optional<whatif::EntryRange> last_step(const explain::Explanation& explanation);

/// All caps down to the smallest that can run, holes included.
Result<whatif::CapScan> scan_all(const StudiedJob& job);

/// What the job does with one cap.
Result<verdict::CapPoint> point_by_replay(const StudiedJob& job, const whatif::CapScan& scan, Bytes cap);

/// At the comfortable and the least cap and at whole percents of the GPU between and below them, at most about 40.
Result<std::vector<verdict::CapPoint>> curve_by_replay(const StudiedJob& job, const whatif::CapScan& scan);

/// Leaves one of the failures below all caps that run.
void drop_failures_below(std::vector<verdict::CapPoint>& curve);

}  // namespace dryfit::cli
