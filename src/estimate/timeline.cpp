// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/timeline.h"

#include <algorithm>
#include <unordered_map>

namespace dryfit::estimate {
namespace {

/// Times are rounded to a microsecond in traces of older versions. A span that ends later than that after the span it
/// began in is not within it: an annotation may begin inside a short operator.
constexpr Time kRounding = 1000;

/// Outer spans before inner ones. If two have the same times, the one written first is the outer.
void sort_spans(std::vector<Span>& spans) {
  std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    if (a.start != b.start) return a.start < b.start;
    return a.end > b.end;
  });
}

void add_nodes(Timeline& timeline, std::vector<Span>& spans) {
  sort_spans(spans);
  timeline.nodes.reserve(spans.size());
  std::vector<std::uint32_t> open;
  const auto close = [&](std::uint32_t next) {
    timeline.nodes[open.back()].end_node = next;
    open.pop_back();
  };
  for (const auto& span : spans) {
    const auto index = static_cast<std::uint32_t>(timeline.nodes.size());
    while (!open.empty()) {
      const auto& top = timeline.nodes[open.back()].span;
      if (top.thread == span.thread && span.start < top.end && span.end <= top.end + kRounding) break;
      close(index);
    }
    Node node{.span = span, .parent = open.empty() ? kNone : open.back()};
    // Rounded times may let a child end a little after its parent.
    if (node.parent != kNone) node.span.end = std::min(node.span.end, timeline.nodes[node.parent].span.end);
    timeline.nodes.push_back(node);
    open.push_back(index);
  }
  while (!open.empty()) close(static_cast<std::uint32_t>(timeline.nodes.size()));
}

/// Blocks by the address at which they live.
class Pairing {
 public:
  Pairing(Timeline& timeline, const std::vector<LiveBlock>& live) : timeline_(timeline) {
    for (const auto& block : live) {
      live_.emplace(block.address, static_cast<std::uint32_t>(timeline_.blocks.size()));
      timeline_.blocks.push_back({.size = block.size});
      timeline_.carried.push_back(block.number);
    }
  }

  /// False: there is nothing to note.
  bool add(const MemoryRecord& record) { return record.bytes > 0 ? alloc(record) : free(record); }

  /// In the order in which they were allocated.
  std::vector<LiveBlock> live() const {
    std::vector<LiveBlock> found;
    found.reserve(live_.size());
    for (const auto& [address, block] : live_) found.push_back({address, timeline_.blocks[block].size, block});
    std::ranges::sort(found, {}, &LiveBlock::number);
    return found;
  }

 private:
  bool alloc(const MemoryRecord& record) {
    const auto block = static_cast<std::uint32_t>(timeline_.blocks.size());
    const auto [place, is_new] = live_.try_emplace(record.address, block);
    if (!is_new) {
      timeline_.diagnostics.add("estimate.missing_frees");
      end(place->second);
      place->second = block;
    }
    timeline_.blocks.push_back({.size = Bytes{static_cast<std::uint64_t>(record.bytes)}, .alloc_event = next_event()});
    timeline_.events.push_back({.block = block});
    return true;
  }

  bool free(const MemoryRecord& record) {
    const auto found = live_.find(record.address);
    if (found == live_.end()) {
      timeline_.diagnostics.add("estimate.unknown_frees");
      return false;
    }
    const Bytes freed{static_cast<std::uint64_t>(-record.bytes)};
    if (freed != timeline_.blocks[found->second].size) timeline_.diagnostics.add("estimate.mismatched_frees");
    end(found->second);
    live_.erase(found);
    return true;
  }

  void end(std::uint32_t block) {
    timeline_.blocks[block].free_event = next_event();
    timeline_.events.push_back({.block = block, .is_free = true});
  }

  std::uint32_t next_event() const { return static_cast<std::uint32_t>(timeline_.events.size()); }

  Timeline& timeline_;
  std::unordered_map<std::uint64_t, std::uint32_t> live_;
};

/// Follows one thread's nodes through time.
class Cursor {
 public:
  explicit Cursor(const std::vector<Node>& nodes, std::uint32_t first, std::uint32_t end)
      : nodes_(nodes), next_(first), end_(end) {}

  std::uint32_t innermost_at(Time time) {
    while (next_ < end_ && nodes_[next_].span.start <= time) current_ = next_++;
    while (current_ != kNone && nodes_[current_].span.end < time) current_ = nodes_[current_].parent;
    return current_;
  }

 private:
  const std::vector<Node>& nodes_;
  std::uint32_t next_;
  std::uint32_t end_;
  std::uint32_t current_ = kNone;
};

std::vector<Cursor> cursors_of(const std::vector<Node>& nodes) {
  std::vector<Cursor> cursors;
  std::uint32_t first = 0;
  while (first < nodes.size()) {
    const auto thread = nodes[first].span.thread;
    auto end = first;
    while (end < nodes.size() && nodes[end].span.thread == thread) ++end;
    while (cursors.size() < thread) cursors.emplace_back(nodes, first, first);
    cursors.emplace_back(nodes, first, end);
    first = end;
  }
  return cursors;
}

void set_ranges(Timeline& timeline, const std::vector<Time>& times) {
  for (auto& node : timeline.nodes) {
    const auto first = std::ranges::lower_bound(times, node.span.start);
    const auto end = std::upper_bound(first, times.end(), node.span.end);
    node.first_event = static_cast<std::uint32_t>(first - times.begin());
    node.end_event = static_cast<std::uint32_t>(end - times.begin());
  }
}

}  // namespace

Timeline make_timeline(Window window, bool on_gpu, std::vector<LiveBlock>& live) {
  Timeline timeline;
  add_nodes(timeline, window.spans);
  auto cursors = cursors_of(timeline.nodes);
  std::vector<Time> times;
  Pairing pairing(timeline, live);
  for (const auto& record : window.memory) {
    if (record.on_gpu != on_gpu) continue;
    const auto before = timeline.events.size();
    if (!pairing.add(record)) continue;
    const auto node = record.thread < cursors.size() ? cursors[record.thread].innermost_at(record.time) : kNone;
    for (auto i = before; i < timeline.events.size(); ++i) {
      timeline.events[i].node = node;
      times.push_back(record.time);
    }
  }
  set_ranges(timeline, times);
  live = pairing.live();
  return timeline;
}

}  // namespace dryfit::estimate
