// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/card_events.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

namespace dryfit::estimate {
namespace {

bool is_of_host(std::string_view name) {
  return name == "dryfit::host" || name == "dryfit::to_host" || name.starts_with("enumerate(DataLoader)");
}

std::uint32_t busiest_thread(const Profile& profile) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  std::uint32_t busiest = 0;
  for (const auto& span : profile.spans) {
    if (++counts[span.thread] > counts[busiest]) busiest = span.thread;
  }
  return busiest;
}

/// A moment of the profile, in the order in which things are laid side by side: at one time the longer span first.
struct Moment {
  Time time = 0;
  bool is_memory = false;
  Time length = 0;
  std::size_t index = 0;

  auto key() const { return std::tuple(time, is_memory, -length, index); }
};

std::vector<Moment> moments_of(const Profile& profile, std::uint32_t thread) {
  std::vector<Moment> moments;
  moments.reserve(profile.spans.size() + profile.memory.size());
  for (std::size_t i = 0; i < profile.spans.size(); ++i) {
    const auto& span = profile.spans[i];
    if (span.thread == thread) moments.push_back({span.start, false, span.end - span.start, i});
  }
  for (std::size_t i = 0; i < profile.memory.size(); ++i) {
    const auto& record = profile.memory[i];
    if (record.thread == thread) moments.push_back({record.time, true, 0, i});
  }
  std::ranges::sort(moments, {}, &Moment::key);
  return moments;
}

class Collector {
 public:
  explicit Collector(const Profile& profile) : profile_(profile) {}

  std::vector<CardEvent> collect() {
    for (const auto& moment : moments_of(profile_, busiest_thread(profile_))) {
      if (moment.is_memory) {
        take_memory(moment.index);
      } else {
        take_span(moment.index);
      }
    }
    return without_idle();
  }

 private:
  /// A span that has begun, and has not ended at the last moment that was looked at.
  struct Open {
    Time end;
    std::size_t event;
  };

  void take_span(std::size_t index) {
    const auto& span = profile_.spans[index];
    if (span.start < host_until_) return;
    if (is_of_host(profile_.names[span.name])) {
      host_until_ = span.end;
      return;
    }
    close_until(span.start);
    const bool is_op = span.kind == Span::Kind::op;
    const bool within_op = std::ranges::any_of(open_, [&](const Open& open) { return is_op_at(open.event); });
    open_.push_back({span.end, events_.size()});
    events_.push_back({CardEvent::Kind::span, index, 0});
    is_idle_.push_back(is_op && within_op);
  }

  bool is_op_at(std::size_t event) const { return profile_.spans[events_[event].index].kind == Span::Kind::op; }

  void close_until(Time time) {
    while (!open_.empty() && open_.back().end <= time) open_.pop_back();
  }

  void add_memory(const CardEvent& event) {
    close_until(profile_.memory[event.index].time);
    for (const auto& open : open_) is_idle_[open.event] = false;
    events_.push_back(event);
    is_idle_.push_back(false);
  }

  std::vector<CardEvent> without_idle() {
    std::vector<CardEvent> kept;
    kept.reserve(events_.size());
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (!is_idle_[i]) kept.push_back(events_[i]);
    }
    return kept;
  }

  void take_memory(std::size_t index) {
    const auto& record = profile_.memory[index];
    if (record.bytes > 0) {
      if (record.time < host_until_) {
        live_.erase(record.address);
      } else {
        live_[record.address] = blocks_;
        add_memory({CardEvent::Kind::alloc, index, blocks_++});
      }
      return;
    }
    if (const auto found = live_.find(record.address); found != live_.end()) {
      add_memory({CardEvent::Kind::free, index, found->second});
      live_.erase(found);
    }
  }

  const Profile& profile_;
  std::vector<CardEvent> events_;
  std::vector<bool> is_idle_;  ///< of each event: an operator within another, without memory so far
  std::vector<Open> open_;     ///< from the outermost to the innermost
  std::unordered_map<std::uint64_t, std::size_t> live_;
  std::size_t blocks_ = 0;
  Time host_until_ = std::numeric_limits<Time>::min();
};

}  // namespace

std::vector<CardEvent> card_events(const Profile& profile) { return Collector(profile).collect(); }

}  // namespace dryfit::estimate
