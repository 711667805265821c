// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "explain/categories.h"
#include "explain/explanation.h"
#include "explain/marks.h"
#include "explain/setting.h"
#include "snapshot/snapshot.h"

namespace dryfit::explain {

/// Texts of an Explanation, each stored once.
class Names {
 public:
  explicit Names(std::vector<std::string>& into);
  NameId id(std::string_view text);

 private:
  std::vector<std::string>& into_;
  std::unordered_map<std::string, NameId> ids_;
};

/// The lines and stacks of a snapshot in an Explanation: only those that are used, each once.
class Lines {
 public:
  Lines(const snapshot::Snapshot& snapshot, Names& names, Explanation& into);

  StackId stack(snapshot::StackId stack);
  /// The innermost line of a stack in the user's own code; if all lines are in libraries, the innermost of all.
  LineId user_line(StackId stack) const;
  LineId line(const snapshot::Frame& frame);

 private:
  const snapshot::Snapshot& snapshot_;
  Names& names_;
  Explanation& into_;
  std::unordered_map<snapshot::StackId, StackId> stacks_;
  std::unordered_map<std::uint32_t, LineId> frames_;  ///< by index of the snapshot
  std::unordered_map<std::string, LineId> others_;
};

/// Note [Owners]. An allocation belongs to
///   - the module of the tensor that was seen in it: of a parameter, its gradient, its state;
///   - else the innermost module that was running when it was made;
///   - in an optimizer step, the optimizer, by its class;
///   - in a backward pass, which calls no modules, the module of what the pass frees or turns into a gradient next: a
///     node of PyTorch's graph frees what it saved right after using it. This is inferred, and marked so.
/// Its operator is named in its innermost line; in a backward pass it is that of what is freed next, "(backward)". Its
/// line is the innermost in the user's own code; in a backward pass the one that began it.
///
/// Categories must be assigned already.
void assign_owners(const Evidence& evidence, Lines& lines, Names& names, Explanation& into);

}  // namespace dryfit::explain
