// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "estimate/plan.h"
#include "estimate/profile.h"
#include "estimate/timeline.h"

namespace dryfit::estimate {

/// A call of Optimizer.step().
struct OptimizerStep {
  std::uint32_t node = 0;
  std::string class_name;  ///< "AdamW"
};

/// What earlier windows contained (Note [Windows]).
struct Past {
  bool begun = false;       ///< there was one
  bool on_card = false;     ///< something was copied to the GPU
  std::uint32_t steps = 0;  ///< of optimizers
};

/// The roles of a timeline's parts in a training program.
struct Structure {
  Past past;
  bool is_marked = false;     ///< somewhere in the profile, copies to the GPU are marked
  std::vector<Stage> stages;  ///< of each event, and of the end
  std::vector<Phase> phases;  ///< of each node
  std::vector<OptimizerStep> optimizer_steps;
  std::vector<std::uint32_t> to_device;                      ///< nodes around copies to the GPU, outermost ones
  std::vector<std::uint32_t> to_host;                        ///< nodes around what stays on the host
  std::vector<std::uint32_t> loaders;                        ///< nodes around a DataLoader's work
  std::vector<std::uint32_t> gradients;                      ///< AccumulateGrad nodes, in the order of time
  std::unordered_map<std::int32_t, std::uint32_t> backward;  ///< sequence number → node of the autograd engine
  std::uint32_t first_forward = kNone;                       ///< event with which training begins
  std::uint32_t loaded = kNone;                              ///< event before which the model is on the GPU
  bool forward_seen = false;
  bool backward_seen = false;
};

/// The Analyzer's second half: steps, phases, and which backward node belongs to which forward operator.
Structure find_structure(const Timeline& timeline, const TextTable& names, const Past& past = {});

}  // namespace dryfit::estimate
