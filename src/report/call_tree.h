// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explain/explanation.h"

namespace dryfit::report {

/// Call stacks with their common beginnings kept once.
struct CallTree {
  struct Frame {
    std::uint32_t caller = explain::kNone;  ///< index into frames, always a smaller one; kNone: outermost
    explain::LineId line = 0;
  };
  std::vector<Frame> frames;
  std::vector<std::uint32_t> innermost;  ///< of each stack, its frame; kNone: it is empty
};

CallTree call_tree(std::span<const std::vector<explain::LineId>> stacks);

}  // namespace dryfit::report
