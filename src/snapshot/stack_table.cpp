// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/stack_table.h"

#include <string>

namespace dryfit::snapshot {

StackId StackTable::stack_of(Value frames) {
  if (!pickle_.is(frames, Kind::list)) return kNoStack;
  const auto [known, is_new] = lists_.try_emplace(frames.bits(), kNoStack);
  if (!is_new) return known->second;
  std::vector<std::uint32_t> stack;
  pickle_.each(frames, [&](Value frame) {
    if (const auto index = frame_of(frame)) stack.push_back(*index);
  });
  if (stack.empty()) return kNoStack;
  const auto [same, is_first] = stacks_.try_emplace(std::move(stack), static_cast<StackId>(into_.stacks.size()));
  if (is_first) into_.stacks.push_back(same->first);
  return known->second = same->second;
}

std::optional<std::uint32_t> StackTable::frame_of(Value frame) {
  if (!pickle_.is(frame, Kind::dict)) return std::nullopt;
  if (const auto known = dicts_.find(frame.bits()); known != dicts_.end()) return known->second;
  const auto [same, is_first] = frames_.try_emplace(read_frame(frame), static_cast<std::uint32_t>(into_.frames.size()));
  if (is_first) into_.frames.push_back(same->first);
  dicts_.emplace(frame.bits(), same->second);
  return same->second;
}

std::string StackTable::copy_of(Value text) {
  const auto view = pickle_.text(text);
  return texts_.spend(view.size()) ? std::string(view) : std::string();
}

Frame StackTable::read_frame(Value frame) {
  Frame result;
  pickle_.each_entry(frame, [&](Value key, Value value) {
    if (!pickle_.is(key, Kind::text)) return;
    const auto name = pickle_.text(key);
    if (name == "name" && pickle_.is(value, Kind::text)) result.name = copy_of(value);
    if (name == "filename" && pickle_.is(value, Kind::text)) result.filename = copy_of(value);
    if (name == "line" && pickle_.is(value, Kind::integer)) result.line = pickle_.integer(value);
  });
  return result;
}

}  // namespace dryfit::snapshot
