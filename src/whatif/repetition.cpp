// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/repetition.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "whatif/play.h"

namespace dryfit::whatif {
namespace {

using Kind = Operation::Kind;

/// Repetitions until the first retries have had their effect, and those that count.
constexpr std::size_t kSettling = 2;
constexpr std::size_t kCounted = 4;

bool requests_free(const Operation& operation) {
  return operation.kind == Kind::free || operation.kind == Kind::request_free;
}

class Repeater {
 public:
  Repeater(const Recording& recording, const EntryRange& step) : result_(recording) {
    auto& operations = result_.operations;
    while (!operations.empty() && operations.back().entry >= step.end) operations.pop_back();
    std::size_t begin = operations.size();
    while (begin > 0 && operations[begin - 1].entry >= step.begin) --begin;
    step_.assign(operations.begin() + static_cast<std::ptrdiff_t>(begin), operations.end());
    find_sizes(begin);
    find_heirs();
  }

  Recording repeat(std::size_t times) && {
    for (std::size_t i = 0; i < times; ++i) play_step();
    return std::move(result_);
  }

 private:
  /// The sizes of what was there before the step, by slot.
  void find_sizes(std::size_t begin) {
    for (std::size_t i = 0; i < begin; ++i) {
      const auto& operation = result_.operations[i];
      if (operation.kind == Kind::malloc) sizes_[operation.slot] = operation.size;
    }
  }

  /// Which allocation of a step is freed in the next one, in the place of what the step itself freed.
  void find_heirs() {
    std::unordered_map<Slot, std::size_t> alive;     // slot → its allocation in the step
    std::vector<std::pair<std::size_t, Bytes>> due;  // frees of what was there before
    for (std::size_t i = 0; i < step_.size(); ++i) {
      const auto& operation = step_[i];
      if (operation.kind == Kind::malloc) alive[operation.slot] = i;
      if (!requests_free(operation) || alive.erase(operation.slot) > 0) continue;
      if (const auto size = sizes_.find(operation.slot); size != sizes_.end()) due.emplace_back(i, size->second);
    }
    std::vector<bool> survives(step_.size());
    for (const auto& [slot, at] : alive) survives[at] = true;
    for (std::size_t i = 0; i < step_.size(); ++i) {
      if (!survives[i]) continue;
      left_.emplace_back(i, step_[i].slot);
      for (auto& [free, size] : due) {
        if (size != step_[i].size || heir_.contains(free)) continue;
        heir_[free] = i;
        break;
      }
    }
  }

  void play_step() {
    const auto before = std::exchange(left_, {});
    std::unordered_map<Slot, Slot> now;  // slot in the recording → slot in this repetition
    std::unordered_map<std::size_t, Slot> made;
    for (std::size_t i = 0; i < step_.size(); ++i) {
      auto operation = step_[i];
      if (operation.kind == Kind::malloc) {
        operation.slot = made[i] = now[step_[i].slot] = result_.slots++;
      } else if (operation.kind == Kind::complete_free) {
        const auto waiting = waiting_.extract(operation.slot);
        if (waiting.empty()) continue;
        operation.slot = waiting.mapped();
      } else if (requests_free(operation)) {
        const auto slot = freed_slot(i, now, before);
        if (!slot) continue;
        if (operation.kind == Kind::request_free) waiting_[operation.slot] = *slot;
        operation.slot = *slot;
      }
      result_.operations.push_back(operation);
    }
    leave(now, made);
  }

  std::optional<Slot> freed_slot(std::size_t at, std::unordered_map<Slot, Slot>& now,
                                 const std::vector<std::pair<std::size_t, Slot>>& before) const {
    if (const auto own = now.extract(step_[at].slot)) return own.mapped();
    const auto heir = heir_.find(at);
    if (heir == heir_.end()) return std::nullopt;
    for (const auto& [made_by, slot] : before) {
      if (made_by == heir->second) return slot;
    }
    return std::nullopt;
  }

  /// What is left of this repetition is for the next, if that frees it.
  void leave(const std::unordered_map<Slot, Slot>& now, const std::unordered_map<std::size_t, Slot>& made) {
    std::vector<bool> is_inherited(step_.size());
    for (const auto& [free, heir] : heir_) is_inherited[heir] = true;
    for (std::size_t i = 0; i < step_.size(); ++i) {
      const auto slot = made.find(i);
      const auto living = now.find(step_[i].slot);
      if (slot == made.end() || living == now.end() || living->second != slot->second) continue;
      if (is_inherited[i]) {
        left_.emplace_back(i, slot->second);
      } else {
        result_.operations.push_back(
            {.kind = Kind::free, .slot = slot->second, .entry = step_[i].entry, .stream = step_[i].stream});
      }
    }
  }

  Recording result_;
  std::vector<Operation> step_;
  std::unordered_map<Slot, Bytes> sizes_;
  std::unordered_map<std::size_t, std::size_t> heir_;  ///< free → allocation, both by their places in the step
  std::vector<std::pair<std::size_t, Slot>> left_;     ///< allocations that the last repetition left: place and slot
  std::unordered_map<Slot, Slot> waiting_;             ///< frees that were requested and are not completed
};

}  // namespace

Recording with_repetitions(const Recording& recording, const EntryRange& step, std::size_t times) {
  return Repeater(recording, step).repeat(times);
}

Result<std::optional<double>> retries_per_step(const Recording& recording, const EntryRange& step,
                                               const Conditions& conditions) {
  const auto settled = play(with_repetitions(recording, step, kSettling), conditions);
  if (!settled) return settled.error();
  const auto longer = play(with_repetitions(recording, step, kSettling + kCounted), conditions);
  if (!longer) return longer.error();
  if (!longer->complete || longer->met_here_only) return std::optional<double>();
  return std::optional(static_cast<double>(longer->alloc_retries - settled->alloc_retries) / kCounted);
}

}  // namespace dryfit::whatif
