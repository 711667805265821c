// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/kernel.h"

#include <charconv>

#include "estimate/element_size.h"

namespace dryfit::estimate {

Kernel::Kernel(Context& context, std::uint32_t node)
    : context_(context),
      node_(node),
      place_(context.timeline.nodes[node].first_event),
      inputs_(parse_inputs(context.profile.inputs[context.timeline.nodes[node].span.inputs])) {
  const auto& timeline = context.timeline;
  const auto end = timeline.nodes[node].end_event;
  for (auto i = place_; i < end; ++i) {
    const auto& event = timeline.events[i];
    if (event.is_free || context.script.is_dropped(event.block) || !timeline.is_within(event.node, node)) continue;
    (timeline.blocks[event.block].free_event < end ? temporaries_ : outputs_).push_back(event.block);
  }
}

const Input* Kernel::tensor(std::size_t index) const {
  if (index >= inputs_.size() || !element_size(inputs_[index].type)) return nullptr;
  return &inputs_[index];
}

std::vector<std::int64_t> Kernel::numbers(std::size_t index) const {
  std::vector<std::int64_t> found;
  if (index >= inputs_.size()) return found;
  const auto& text = inputs_[index].value;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error == std::errc{}) found.push_back(number);
    at = error == std::errc{} ? rest : at + 1;
  }
  return found;
}

void Kernel::drop_temporaries() {
  for (const auto block : temporaries_) context_.script.drop(block);
}

void Kernel::drop_temporaries_but_copies() {
  const auto& timeline = context_.timeline;
  const auto is_copy = [&](std::uint32_t block) {
    for (auto at = timeline.events[timeline.blocks[block].alloc_event].node; at != node_ && at != kNone;
         at = timeline.nodes[at].parent) {
      if (context_.profile.names[timeline.nodes[at].span.name] == "aten::contiguous") return true;
    }
    return false;
  };
  for (const auto block : temporaries_) {
    if (!is_copy(block)) context_.script.drop(block);
  }
}

}  // namespace dryfit::estimate
