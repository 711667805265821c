// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot.h"

#include <array>
#include <cstddef>

namespace dryfit::snapshot {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 10> kActions{"alloc",        "free_requested", "free_completed", "segment_alloc",
                                                    "segment_free", "segment_map",    "segment_unmap",  "snapshot",
                                                    "oom",          "annotate"};
constexpr std::array<std::string_view, 3> kStates{"active_allocated", "active_pending_free", "inactive"};

template <class Enum, std::size_t count>
std::optional<Enum> parse(const std::array<std::string_view, count>& names, std::string_view text) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

bool is_library(const Frame& frame) {
  const auto has = [&](std::string_view part) { return frame.filename.find(part) != std::string::npos; };
  return frame.line <= 0 || frame.filename.empty() || frame.filename == "??" || frame.filename.starts_with("<") ||
         has("/torch/") || has("/site-packages/") || has("/dist-packages/") || has("/lib/python");
}

std::string_view to_text(Action action) { return kActions[static_cast<std::size_t>(action)]; }
std::string_view to_text(BlockState state) { return kStates[static_cast<std::size_t>(state)]; }
std::optional<Action> parse_action(std::string_view text) { return parse<Action>(kActions, text); }

std::optional<BlockState> parse_block_state(std::string_view text) {
  if (text == "active_awaiting_free") return BlockState::active_pending_free;  // as PyTorch's documentation has it
  return parse<BlockState>(kStates, text);
}

const Frame* Snapshot::user_frame(StackId stack) const {
  if (stack >= stacks.size() || stacks[stack].empty()) return nullptr;
  for (const auto index : stacks[stack]) {
    if (!is_library(frames[index])) return &frames[index];
  }
  return &frames[stacks[stack].front()];
}

}  // namespace dryfit::snapshot
