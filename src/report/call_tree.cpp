// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/call_tree.h"

#include <map>
#include <ranges>
#include <utility>

namespace dryfit::report {

CallTree call_tree(std::span<const std::vector<explain::LineId>> stacks) {
  CallTree tree;
  std::map<std::pair<std::uint32_t, explain::LineId>, std::uint32_t> known;
  for (const auto& stack : stacks) {
    auto at = explain::kNone;
    for (const auto line : stack | std::views::reverse) {
      const auto next = static_cast<std::uint32_t>(tree.frames.size());
      const auto [found, is_new] = known.try_emplace({at, line}, next);
      if (is_new) tree.frames.push_back({at, line});
      at = found->second;
    }
    tree.innermost.push_back(at);
  }
  return tree;
}

}  // namespace dryfit::report
