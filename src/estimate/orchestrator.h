// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimate/plan.h"
#include "estimate/profile.h"
#include "estimate/structure.h"
#include "estimate/timeline.h"

namespace dryfit::estimate {

/// Something that the trace does not contain, so that it was assumed.
struct Gap {
  std::string name;  ///< stable: "parameters", "optimizer_state", … (docs/estimate.md)
  std::string text;  ///< a sentence without a full stop
};

/// What the Orchestrator found about the model.
struct Model {
  std::vector<Bytes> parameters;  ///< all of them, in the order in which they are moved to the GPU
  std::vector<Bytes> buffers;
  std::vector<Bytes> trained;  ///< those that get gradients, in the optimizer's order
  bool in_trace = false;       ///< their blocks are in the trace already
};

/// What is found along the way, from the first window to the last.
struct Findings {
  Model model;
  std::vector<Gap> gaps;
  Diagnostics diagnostics;
};

/// Everything that the stages read and write while they turn a window of a profile into a plan.
struct Context {
  const Profile& profile;
  const Timeline& timeline;
  const Structure& structure;
  Script script;
  Model& model;
  std::vector<Gap>& gaps;
  Diagnostics& diagnostics;
};

/// Puts the profile's blocks into the order of a program that trains on a GPU: drops what stays on the host, copies
/// batches when the loader hands them out, and inserts parameters, buffers and optimizer state that the trace does not
/// have before everything else.
void orchestrate(Context& context);

}  // namespace dryfit::estimate
