// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/empty_cache.h"

#include <algorithm>

namespace dryfit::whatif {
namespace {

using snapshot::Action;
using snapshot::Entry;

bool gives_back(const Entry& entry) {
  return entry.action == Action::segment_free || entry.action == Action::segment_unmap;
}

bool obtains(const Entry& entry) {
  return entry.action == Action::segment_alloc || entry.action == Action::segment_map;
}

/// Before giving anything back PyTorch completes frees that were waiting.
bool belongs(const Entry& entry) { return gives_back(entry) || entry.action == Action::free_completed; }

class Finder {
 public:
  Finder(const snapshot::Snapshot& snapshot, const std::vector<Entry>& entries, Bytes reserved_at_start, bool collects)
      : snapshot_(snapshot), entries_(entries), reserved_(reserved_at_start), collects_(collects) {
    Bytes reserved = reserved_at_start;
    most_reserved_ = reserved;
    for (const auto& entry : entries) {
      follow(entry, reserved);
      most_reserved_ = std::max(most_reserved_, reserved);
    }
  }

  std::vector<std::size_t> find() {
    std::vector<std::size_t> calls;
    for (std::size_t i = 0; i < entries_.size();) {
      if (!gives_back(entries_[i])) {
        follow(entries_[i++], reserved_);
        continue;
      }
      auto end = i;
      while (end < entries_.size() && belongs(entries_[end])) ++end;
      if (was_called(i, end)) calls.push_back(i);
      for (; i < end; ++i) follow(entries_[i], reserved_);
    }
    return calls;
  }

 private:
  static void follow(const Entry& entry, Bytes& reserved) {
    if (obtains(entry)) reserved += entry.size;
    if (gives_back(entry)) reserved -= std::min(reserved, entry.size);
  }

  bool names_empty_cache(snapshot::StackId stack) const {
    if (stack >= snapshot_.stacks.size()) return false;
    const auto is_it = [&](std::uint32_t frame) { return snapshot_.frames[frame].name == "empty_cache"; };
    return std::ranges::any_of(snapshot_.stacks[stack], is_it);
  }

  bool was_called(std::size_t begin, std::size_t end) const {
    if (end == entries_.size()) return true;
    const auto& next = entries_[end];
    if (!obtains(next) && next.action != Action::oom) return true;
    const auto stack = entries_[begin].stack;
    if (names_empty_cache(stack)) return true;
    if (!collects_ && obtains(next) && reserved_ + next.size <= most_reserved_) return true;
    return stack != next.stack;
  }

  const snapshot::Snapshot& snapshot_;
  const std::vector<Entry>& entries_;
  Bytes reserved_;  ///< before the entry that is looked at
  Bytes most_reserved_;
  bool collects_;
};

}  // namespace

std::vector<std::size_t> empty_cache_calls(const snapshot::Snapshot& snapshot, const std::vector<Entry>& entries,
                                           Bytes reserved_at_start, bool collects) {
  return Finder(snapshot, entries, reserved_at_start, collects).find();
}

}  // namespace dryfit::whatif
