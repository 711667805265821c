// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/call_tree.h"

#include <gtest/gtest.h>

namespace dryfit::report {
namespace {

using Stacks = std::vector<std::vector<explain::LineId>>;

/// The lines of a stack, innermost first, read back from the tree.
std::vector<explain::LineId> read_back(const CallTree& tree, std::size_t stack) {
  std::vector<explain::LineId> lines;
  for (auto at = tree.innermost[stack]; at != explain::kNone; at = tree.frames[at].caller) {
    lines.push_back(tree.frames[at].line);
  }
  return lines;
}

TEST(CallTree, Stacks_are_read_back_as_they_were) {
  const Stacks stacks{{3, 1, 0}, {4, 1, 0}, {0}, {}, {3, 1, 0}, {3, 3, 3}};
  const auto tree = call_tree(stacks);
  for (std::size_t i = 0; i < stacks.size(); ++i) EXPECT_EQ(read_back(tree, i), stacks[i]) << i;
}

TEST(CallTree, Common_callers_are_kept_once) {
  const auto tree = call_tree(Stacks{{3, 1, 0}, {4, 1, 0}, {3, 1, 0}});
  EXPECT_EQ(tree.frames.size(), 4u);
  EXPECT_EQ(tree.innermost[0], tree.innermost[2]);
}

TEST(CallTree, A_caller_comes_before_what_it_calls) {
  const auto tree = call_tree(Stacks{{3, 1, 0}, {4, 2}});
  for (std::uint32_t i = 0; i < tree.frames.size(); ++i) {
    if (tree.frames[i].caller != explain::kNone) {
      EXPECT_LT(tree.frames[i].caller, i);
    }
  }
}

}  // namespace
}  // namespace dryfit::report
