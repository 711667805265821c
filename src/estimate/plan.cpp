// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/plan.h"

#include <algorithm>

namespace dryfit::estimate {

const char* to_text(Phase phase) {
  static constexpr const char* kTexts[] = {"load", "forward", "backward", "optimizer", "other"};
  return kTexts[static_cast<int>(phase)];
}

Script::Script(const Timeline& timeline)
    : timeline_(timeline),
      dropped_(timeline.blocks.size()),
      alloc_moved_(timeline.blocks.size()),
      free_moved_(timeline.blocks.size()) {
  sizes_.reserve(timeline.blocks.size());
  for (const auto& block : timeline.blocks) sizes_.push_back(block.size);
}

void Script::alloc_at(std::uint32_t block, std::uint32_t place) {
  alloc_moved_[block] = true;
  insertions_.push_back({place, block, false});
}

void Script::free_at(std::uint32_t block, std::uint32_t place) {
  free_moved_[block] = true;
  insertions_.push_back({place, block, true});
}

std::uint32_t Script::add(Bytes size, std::uint32_t place) {
  const auto block = static_cast<std::uint32_t>(sizes_.size());
  sizes_.push_back(size);
  dropped_.push_back(false);
  alloc_moved_.push_back(true);
  free_moved_.push_back(true);
  insertions_.push_back({place, block, false});
  return block;
}

void Script::add_optional(Bytes size, std::uint32_t place) {
  const auto block = add(size, place);
  insertions_.back().is_optional = true;
  free_at(block, place);
}

Plan Script::finish(const std::vector<Stage>& stages) && {
  std::ranges::stable_sort(insertions_, {}, &Insertion::place);
  Plan plan;
  plan.calls.reserve(timeline_.events.size() + insertions_.size());
  auto insertion = insertions_.begin();
  const auto insert_until = [&](std::uint32_t place) {
    for (; insertion != insertions_.end() && insertion->place <= place; ++insertion) {
      if (insertion->block == kNone) {
        plan.loaded = plan.calls.size();
        continue;
      }
      if (dropped_[insertion->block]) continue;
      plan.calls.push_back({insertion->block, insertion->is_free, stages[place], insertion->is_optional});
    }
  };
  for (std::uint32_t i = 0; i < timeline_.events.size(); ++i) {
    insert_until(i);
    const auto& event = timeline_.events[i];
    const bool moved = event.is_free ? free_moved_[event.block] : alloc_moved_[event.block];
    if (dropped_[event.block] || moved) continue;
    plan.calls.push_back({event.block, event.is_free, stages[i]});
  }
  insert_until(static_cast<std::uint32_t>(timeline_.events.size()));
  plan.sizes = std::move(sizes_);
  return plan;
}

}  // namespace dryfit::estimate
