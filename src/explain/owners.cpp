// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/owners.h"

#include <algorithm>

namespace dryfit::explain {
namespace {

class Owners {
 public:
  Owners(const Evidence& evidence, Lines& lines, Names& names, Explanation& into)
      : evidence_(evidence), lines_(lines), names_(names), into_(into) {}

  void assign() {
    for (std::uint32_t i = 0; i < into_.allocations.size(); ++i) assign_known(i);
    infer();
  }

 private:
  struct Anchor {
    NameId module = 0;
    NameId op = 0;
  };

  const std::string& text(MarkName name) const { return evidence_.marks.names[name]; }

  bool in_backward(std::uint32_t index) const { return into_.allocations[index].phase == Phase::backward; }

  void assign_known(std::uint32_t index) {
    auto& allocation = into_.allocations[index];
    const auto& setting = evidence_.program.settings[index];
    allocation.op = names_.id(evidence_.operators[index]);
    allocation.line = lines_.user_line(allocation.stack);
    allocation.module = names_.id(text(setting.module));
    allocation.type = names_.id(text(evidence_.sightings.types[index]));
    if (const auto& seen = evidence_.sightings.roles[index]) {
      allocation.module = names_.id(text(seen->module));
      allocation.tensor = names_.id(text(seen->name));
      allocation.type = names_.id(text(seen->type));
    }
    if (allocation.category == Category::activations) forward_ops_.try_emplace(allocation.module, allocation.op);
    if (in_backward(index) && allocation.stack == kNone) allocation.line = line_of_pass(allocation.born);
    if (allocation.module == 0) allocation.module = names_.id(text(evidence_.program.optimizers[setting.span]));
  }

  LineId line_of_pass(Event event) {
    const auto& passes = evidence_.program.backwards;
    const auto next = std::ranges::upper_bound(passes, event, {}, &BackwardPass::begin);
    if (next == passes.begin()) return kNone;
    const auto& pass = *std::prev(next);
    if (pass.file == 0) return kNone;
    return lines_.line({text(pass.function), text(pass.file), pass.line});
  }

  /// From the end to the beginning: what comes next is what was visited last.
  void infer() {
    Anchor anchor;
    const auto& events = evidence_.lives.allocation_of;
    auto span = into_.spans.size();
    for (auto event = static_cast<Event>(events.size()); event-- > 0;) {
      while (span > 0 && (span == into_.spans.size() || into_.spans[span].begin > event)) --span;
      if (into_.spans[span].phase != Phase::backward) {
        anchor = {};
        continue;
      }
      if (events[event] != kNone) meet(event, events[event], anchor);
    }
  }

  void meet(Event event, std::uint32_t index, Anchor& anchor) {
    auto& allocation = into_.allocations[index];
    if (allocation.died == event) {
      const bool was_saved = allocation.category == Category::activations || allocation.category == Category::autocast;
      if (was_saved && allocation.module != 0) anchor = {allocation.module, allocation.op};
      return;
    }
    const bool has_owner = allocation.module != 0 || allocation.stack != kNone;
    const bool is_gradient = has_owner && allocation.category == Category::gradients;
    if (is_gradient && allocation.module != anchor.module) anchor = {allocation.module, forward_op(allocation.module)};
    if (allocation.stack == kNone && allocation.op == 0) allocation.op = backward_of(anchor.op);
    if (has_owner || anchor.module == 0) return;
    allocation.module = anchor.module;
    allocation.is_inferred = true;
  }

  /// The operator that made the module's first activation; 0: none did.
  NameId forward_op(NameId module) const {
    const auto found = forward_ops_.find(module);
    return found == forward_ops_.end() ? NameId{0} : found->second;
  }

  NameId backward_of(NameId op) {
    const auto& name = into_.names[op];
    return names_.id(name.empty() ? "backward" : name + " (backward)");
  }

  const Evidence& evidence_;
  Lines& lines_;
  Names& names_;
  Explanation& into_;
  std::unordered_map<NameId, NameId> forward_ops_;  ///< by module
};

}  // namespace

Names::Names(std::vector<std::string>& into) : into_(into) { id(""); }

NameId Names::id(std::string_view text) {
  const auto [found, is_new] = ids_.try_emplace(std::string(text), static_cast<NameId>(into_.size()));
  if (is_new) into_.emplace_back(text);
  return found->second;
}

Lines::Lines(const snapshot::Snapshot& snapshot, Names& names, Explanation& into)
    : snapshot_(snapshot), names_(names), into_(into) {}

LineId Lines::line(const snapshot::Frame& frame) {
  const auto key = frame.filename + ":" + std::to_string(frame.line) + ":" + frame.name;
  const auto [found, is_new] = others_.try_emplace(key, static_cast<LineId>(into_.lines.size()));
  if (is_new) {
    into_.lines.push_back({.file = names_.id(frame.filename),
                           .line = static_cast<std::uint32_t>(std::max<std::int64_t>(frame.line, 0)),
                           .function = names_.id(frame.name),
                           .is_library = snapshot::is_library(frame)});
  }
  return found->second;
}

StackId Lines::stack(snapshot::StackId stack) {
  if (stack >= snapshot_.stacks.size() || snapshot_.stacks[stack].empty()) return kNone;
  const auto [found, is_new] = stacks_.try_emplace(stack, static_cast<StackId>(into_.stacks.size()));
  if (is_new) {
    auto& lines = into_.stacks.emplace_back();
    for (const auto frame : snapshot_.stacks[stack]) {
      const auto known = frames_.find(frame);
      const auto id = known != frames_.end() ? known->second : line(snapshot_.frames[frame]);
      frames_[frame] = id;
      lines.push_back(id);
    }
  }
  return found->second;
}

LineId Lines::user_line(StackId stack) const {
  if (stack == kNone) return kNone;
  const auto& lines = into_.stacks[stack];
  const auto own = std::ranges::find_if(lines, [&](LineId line) { return !into_.lines[line].is_library; });
  return own == lines.end() ? lines.front() : *own;
}

void assign_owners(const Evidence& evidence, Lines& lines, Names& names, Explanation& into) {
  Owners(evidence, lines, names, into).assign();
}

}  // namespace dryfit::explain
