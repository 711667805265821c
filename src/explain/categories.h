// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "explain/explanation.h"
#include "explain/lives.h"
#include "explain/marks.h"
#include "explain/setting.h"

namespace dryfit::explain {

/// The role of an allocation, known because a tensor was seen in it.
struct Sighting {
  Role role = Role::parameter;
  MarkName module = 0;
  MarkName name = 0;
  MarkName type = 0;
};

/// What was seen of each allocation.
struct Sightings {
  std::vector<std::optional<Sighting>> roles;  ///< by allocation
  std::vector<MarkName> types;                 ///< by allocation, of a tensor that a module returned in it; 0: none
};

/// Looks up the marks' tensors among the allocations that lived when they were seen. An allocation that was seen in
/// several roles has the first of: parameter, optimizer state, gradient, buffer; and the first module that it was seen
/// in, if any.
Sightings sightings_of(const Lives& lives, const Marks& marks, const MarkPlaces& places);

/// Everything that determines a category.
struct Evidence {
  const Lives& lives;
  const Marks& marks;
  const Program& program;
  const Sightings& sightings;
  std::span<const std::string_view> operators;  ///< by allocation, as named in its innermost line
  const std::vector<bool>& distributed;         ///< by allocation: its innermost line is torch.distributed's
  Event end = kNever;                           ///< when the program ran out of memory, if it did
};

/// Note [Categories]. The first rule that applies decides:
///   1. A tensor was seen there: its role.
///   2. One of cuBLAS's workspaces by its size, never freed; or freed before anything else happened, right behind an
///      allocation of the same line that stays (its operator's result): a workspace. Not while
///      loading or in an optimizer, nor a gradient that is added to another.
///   3. Made by torch.distributed itself: communication.
///   4. Note [Autocast copies] in setting.h.
///   5. Made outside of modules, before the first call of one since the last backward pass or step, and still there
///      then; or copied to the device later: an input.
///   6. Made in a forward pass and there when a backward pass begins: an activation. If no backward pass follows the
///      forward pass, whatever outlives the call of the model; what a failure interrupted counts as kept. In a backward
///      pass, the same for modules that are called again (checkpointing).
///   7. Anything else that lives through a whole step: in a module, a buffer that it does not register; else unknown.
///   8. The rest: temporary.
std::vector<Category> categories_of(const Evidence& evidence);

}  // namespace dryfit::explain
