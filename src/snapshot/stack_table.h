// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "snapshot/budget.h"
#include "snapshot/pickle.h"
#include "snapshot/snapshot.h"

namespace dryfit::snapshot {

/// Turns the frame lists of a pickle into the stacks of a Snapshot: each list is read once, however often it
/// is referred to, and equal frames and equal stacks are stored once. The bytes of names are charged to `texts`.
class StackTable {
 public:
  StackTable(const Pickle& pickle, Snapshot& into, Budget& texts) : pickle_(pickle), into_(into), texts_(texts) {}

  /// kNoStack for anything but a list of frames, and for an empty one.
  StackId stack_of(Value frames);

 private:
  std::optional<std::uint32_t> frame_of(Value frame);
  Frame read_frame(Value frame);
  std::string copy_of(Value text);

  const Pickle& pickle_;
  Snapshot& into_;
  Budget& texts_;
  std::unordered_map<std::uint64_t, StackId> lists_;        ///< by the bits of the list's value
  std::unordered_map<std::uint64_t, std::uint32_t> dicts_;  ///< by the bits of the frame's value
  std::map<Frame, std::uint32_t> frames_;
  std::map<std::vector<std::uint32_t>, StackId> stacks_;
};

}  // namespace dryfit::snapshot
