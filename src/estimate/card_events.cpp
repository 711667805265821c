// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/card_events.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "estimate/lowering.h"

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

/// A moment of the profile, in the order of comparison: of two at the same time, the longer span first.
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
    return kept();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  struct Noted {
    CardEvent event;
    std::size_t parent = kNone;  ///< the innermost span around it, as an index into noted_
    bool is_left_out = false;
  };

  /// A span that has begun, and has not ended by the last moment.
  struct Open {
    Time end;
    std::size_t noted;
    std::size_t kernel;  ///< the outermost around it whose temporaries a card has not; kNone: there is none
    bool is_op;
  };

  /// A block that has not been freed.
  struct Live {
    std::size_t noted;
    std::size_t kernel;
  };

  void take_span(std::size_t index) {
    const auto& span = profile_.spans[index];
    if (span.start < host_until_) return;
    const auto name = profile_.names[span.name];
    if (is_of_host(name)) {
      host_until_ = span.end;
      return;
    }
    close_until(span.start);
    const bool is_op = span.kind == Span::Kind::op;
    const bool within_op = std::ranges::any_of(open_, &Open::is_op);
    auto kernel = open_.empty() ? kNone : open_.back().kernel;
    if (kernel == kNone && is_op && drops_temporaries(name)) kernel = noted_.size();
    const auto noted = note({CardEvent::Kind::span, index, 0});
    // An operator within another counts when something is allocated or freed in it.
    noted_[noted].is_left_out = is_op && within_op;
    open_.push_back({span.end, noted, kernel, is_op});
  }

  std::size_t note(const CardEvent& event) {
    noted_.push_back({.event = event, .parent = open_.empty() ? kNone : open_.back().noted});
    return noted_.size() - 1;
  }

  void close_until(Time time) {
    while (!open_.empty() && open_.back().end <= time) open_.pop_back();
  }

  void take_memory(std::size_t index) {
    const auto& record = profile_.memory[index];
    if (record.bytes > 0 && record.time < host_until_) {
      live_.erase(record.address);
      return;
    }
    close_until(record.time);
    const auto kernel = open_.empty() ? kNone : open_.back().kernel;
    if (record.bytes > 0) {
      const auto block = blocks_++;
      live_[record.address] = {note({CardEvent::Kind::alloc, index, block}), kernel};
      return;
    }
    const auto found = live_.find(record.address);
    if (found == live_.end()) return;
    const auto [allocation, born_in] = found->second;
    live_.erase(found);
    if (born_in != kNone && born_in == kernel) {
      noted_[allocation].is_left_out = true;
    } else {
      note({CardEvent::Kind::free, index, noted_[allocation].event.block});
    }
  }

  /// With blocks renumbered.
  std::vector<CardEvent> kept() {
    for (const auto& each : noted_) {
      if (each.is_left_out || each.event.kind == CardEvent::Kind::span) continue;
      for (auto i = each.parent; i != kNone && noted_[i].is_left_out; i = noted_[i].parent) {
        noted_[i].is_left_out = false;
      }
    }
    std::vector<CardEvent> events;
    std::vector<std::size_t> numbers(blocks_);
    std::size_t blocks = 0;
    for (auto& [event, parent, is_left_out] : noted_) {
      if (is_left_out) continue;
      if (event.kind == CardEvent::Kind::alloc) numbers[event.block] = blocks++;
      if (event.kind != CardEvent::Kind::span) event.block = numbers[event.block];
      events.push_back(event);
    }
    return events;
  }

  const Profile& profile_;
  std::vector<Noted> noted_;
  std::vector<Open> open_;  ///< from the outermost to the innermost
  std::unordered_map<std::uint64_t, Live> live_;
  std::size_t blocks_ = 0;
  Time host_until_ = std::numeric_limits<Time>::min();
};

}  // namespace

std::vector<CardEvent> card_events(const Profile& profile) { return Collector(profile).collect(); }

}  // namespace dryfit::estimate
