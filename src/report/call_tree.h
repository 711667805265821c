// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explain/explanation.h"

namespace dryfit::report {

/// Call stacks that share their common beginnings.
struct CallTree {
  struct Frame {
    std::uint32_t caller = explain::kNone;  ///< index into frames, always a smaller one; kNone: outermost
    explain::LineId line = 0;
  };
  std::vector<Frame> frames;
  std::vector<std::uint32_t> innermost;  ///< frame of each stack; kNone: the stack is empty
};

CallTree call_tree(std::span<const std::vector<explain::LineId>> stacks);

}  // namespace dryfit::report
