// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/setting.h"

#include <algorithm>
#include <map>

namespace dryfit::explain {
namespace {

using snapshot::Action;

void find_spans(const std::vector<PhaseMark>& marks, const MarkPlaces& places, Program& into) {
  auto& spans = into.spans = {{}};
  auto& optimizers = into.optimizers = {0};
  for (const auto& mark : marks) {
    const Span span{places.place_of(mark.at), mark.step, mark.phase};
    if (spans.back().begin == span.begin) {
      spans.pop_back();
      optimizers.pop_back();
    }
    const bool same = !spans.empty() && spans.back().step == span.step && spans.back().phase == span.phase;
    if (same) continue;
    spans.push_back(span);
    optimizers.push_back(span.phase == Phase::optimizer ? mark.function : MarkName{0});
  }
}

std::vector<BackwardPass> backwards_of(const std::vector<PhaseMark>& marks, const MarkPlaces& places) {
  std::vector<BackwardPass> passes;
  for (const auto& mark : marks) {
    if (mark.phase == Phase::backward)
      passes.push_back({places.place_of(mark.at), mark.file, mark.line, mark.function});
  }
  return passes;
}

/// The running modules, from call to call.
class CallStack {
 public:
  CallStack(const Marks& marks, const MarkPlaces& places, Program& into)
      : marks_(marks), places_(places), into_(into) {}

  /// Call it for allocations in the order in which they were made.
  Setting at(const Allocation& allocation) {
    while (next_ < marks_.calls.size() && place() <= allocation.born) advance();
    Setting setting;
    if (frames_.empty()) return setting;
    auto& frame = frames_.back();
    setting.module = frame.module;
    setting.root = static_cast<std::uint32_t>(into_.roots.size()) - 1;
    setting.with_grad = frame.with_grad;
    setting.is_autocast_copy = frame.with_autocast && is_copy(frame, allocation.requested);
    return setting;
  }

  void finish() {
    while (next_ < marks_.calls.size()) advance();
  }

 private:
  struct Frame {
    MarkName module = 0;
    bool with_grad = true;
    bool with_autocast = false;
    Bytes cast;
  };

  Event place() const { return places_.place_of(marks_.calls[next_].at); }

  void advance() {
    const auto& mark = marks_.calls[next_];
    if (mark.out_of_memory) {
      into_.failed_in = mark.module;
    } else if (mark.entered) {
      if (frames_.empty()) {
        into_.roots.push_back({place(), kNever});
        uncast_.clear();
      }
      frames_.push_back({mark.module, mark.with_grad, mark.with_autocast, mark.cast});
    } else if (!frames_.empty()) {
      frames_.pop_back();
      if (mark.module == 0) frames_.clear();
      if (frames_.empty()) into_.roots.back().end = place();
    }
    ++next_;
  }

  /// Note [Autocast copies] in setting.h.
  bool is_copy(Frame& frame, Bytes requested) {
    if (frame.cast.count > 0 && frame.cast == requested) {
      frame.cast = {};
      return true;
    }
    const auto known = marks_.casts.find(frame.module);
    if (known != marks_.casts.end()) {
      auto& left = uncast_.try_emplace(frame.module, known->second).first->second;
      if (const auto found = std::ranges::find(left, requested); found != left.end()) {
        left.erase(found);
        return true;
      }
    }
    frame.cast = {};
    return false;
  }

  const Marks& marks_;
  const MarkPlaces& places_;
  Program& into_;
  std::size_t next_ = 0;
  std::vector<Frame> frames_;
  std::map<MarkName, std::vector<Bytes>> uncast_;  ///< parameters that this call of the model has not copied yet
};

}  // namespace

MarkPlaces::MarkPlaces(const std::vector<snapshot::Entry>& entries, Count end)
    : events_(static_cast<Event>(entries.size())) {
  for (Event event = 0; event < events_; ++event) {
    const auto action = entries[event].action;
    if (action == Action::alloc || action == Action::free_requested) counted_.push_back(event);
  }
  agree_ = end >= counted_.size();
  forgotten_ = agree_ ? end - counted_.size() : 0;
}

Event MarkPlaces::place_of(Count count) const {
  if (count <= forgotten_) return 0;
  const auto known = count - forgotten_;
  return known > counted_.size() ? events_ : counted_[known - 1] + 1;
}

std::uint32_t Program::span_at(Event event) const {
  const auto next = std::ranges::upper_bound(spans, event, {}, &Span::begin);
  return next == spans.begin() ? 0 : static_cast<std::uint32_t>(next - spans.begin()) - 1;
}

std::uint32_t Program::backward_after(Event event) const {
  const auto next = std::ranges::upper_bound(backwards, event, {}, &BackwardPass::begin);
  return next == backwards.end() ? kNone : static_cast<std::uint32_t>(next - backwards.begin());
}

Program course_of(const Lives& lives, const Marks& marks, const MarkPlaces& places) {
  Program program{.backwards = backwards_of(marks.phases, places)};
  find_spans(marks.phases, places, program);
  CallStack stack(marks, places, program);
  program.settings.reserve(lives.allocations.size());
  for (const auto& allocation : lives.allocations) {
    auto setting = stack.at(allocation);
    setting.span = program.span_at(allocation.born);
    program.settings.push_back(setting);
  }
  stack.finish();
  return program;
}

}  // namespace dryfit::explain
