// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/rewind.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

namespace dryfit::snapshot {
namespace {

using namespace literals;

constexpr Bytes kMinBlockSize = 512_B;
constexpr Bytes kSmallSize = 1_MiB;
constexpr Bytes kSmallBuffer = 2_MiB;
constexpr Bytes kLargeBuffer = 20_MiB;

/// Segments and live blocks of one device, while it is taken back in time. Invariant: segments do not overlap; each
/// block lies within one segment; blocks do not overlap.
class Rewinder {
 public:
  Rewinder(const Snapshot& snapshot, int device, const RewindRules& rules) : rules_(rules) {
    for (const auto& segment : snapshot.segments) {
      if (segment.device != device || segment.size.count == 0) continue;
      if (overlaps(segment.address, segment.size)) {
        diagnostics_.add("rewind.occupied");
        continue;
      }
      for (const auto& block : segment.blocks) {
        if (block.state != BlockState::inactive && block.size.count > 0) blocks_[block.address] = block;
      }
      insert(segment);
    }
  }

  void undo(const Entry& entry, int device) {
    switch (entry.action) {
      case Action::alloc:
        return undo_alloc(entry);
      case Action::free_requested:
        return undo_free_requested(entry);
      case Action::free_completed:
        return undo_free_completed(entry);
      case Action::segment_alloc:
        return undo_segment_alloc(entry);
      case Action::segment_free:
        return add_segment(entry, device, false);
      case Action::segment_map:
        return undo_segment_map(entry);
      case Action::segment_unmap:
        return add_segment(entry, device, true);
      case Action::snapshot:
      case Action::oom:
      case Action::annotate:
        return;
    }
  }

  StartState state() && {
    StartState result;
    result.diagnostics = std::move(diagnostics_);
    for (auto& segment : segments_ | std::views::values) {
      fill(segment);
      result.segments.push_back(std::move(segment));
    }
    return result;
  }

 private:
  using Segments = std::map<Address, Segment>;

  Segments::iterator segment_at(Address address) {
    auto next = segments_.upper_bound(address);
    if (next == segments_.begin()) return segments_.end();
    const auto found = std::prev(next);
    return address - found->first < found->second.size.count ? found : segments_.end();
  }

  bool overlaps(Address address, Bytes size) {
    if (size.count == 0 || size.count > ~address) return true;
    const auto next = segments_.lower_bound(address);
    if (next != segments_.end() && next->first - address < size.count) return true;
    return segment_at(address) != segments_.end();
  }

  bool has_blocks(Address begin, Address end) const {
    const auto next = blocks_.lower_bound(begin);
    if (next != blocks_.end() && next->first < end) return true;
    if (next == blocks_.begin()) return false;
    const auto& before = std::prev(next)->second;
    return begin - before.address < before.size.count;
  }

  void undo_alloc(const Entry& entry) {
    const auto found = blocks_.find(entry.address);
    if (found == blocks_.end() || found->second.state != BlockState::active_allocated) {
      return diagnostics_.add("rewind.unknown_block");
    }
    blocks_.erase(found);
  }

  void undo_free_requested(const Entry& entry) {
    const auto found = blocks_.find(entry.address);
    if (found == blocks_.end() || found->second.state != BlockState::active_pending_free) {
      return diagnostics_.add("rewind.unknown_block");
    }
    found->second.state = BlockState::active_allocated;
  }

  /// Where free memory that begins at `address` ends; `address` itself when it is not free.
  Address end_of_gap(const Segment& segment, Address address) const {
    const auto next = blocks_.upper_bound(address);
    if (next != blocks_.begin()) {
      const auto& before = std::prev(next)->second;
      if (address - before.address < before.size.count) return address;
    }
    const Address end = segment.address + segment.size.count;
    return next == blocks_.end() ? end : std::min(end, next->first);
  }

  void undo_free_completed(const Entry& entry) {
    const auto found = segment_at(entry.address);
    if (found == segments_.end()) return diagnostics_.add("rewind.occupied");
    const auto& segment = found->second;
    const Bytes gap{end_of_gap(segment, entry.address) - entry.address};
    Bytes size = std::max(rounded(entry.size), kMinBlockSize);
    if (size > gap) return diagnostics_.add("rewind.occupied");
    const bool never_split = size >= rules_.max_split_size && !segment.is_expandable;
    const bool too_little_left = gap - size <= kSmallSize && !segment.is_small && !segment.is_expandable;
    if (never_split || too_little_left) size = gap;
    blocks_[entry.address] = {.address = entry.address,
                              .size = size,
                              .requested = entry.size,
                              .state = BlockState::active_pending_free,
                              .stack = entry.stack};
  }

  Bytes rounded(Bytes request) const {
    if (request.count > ~std::uint64_t{0} - kMinBlockSize.count) return request;
    return rules_.rounded ? rules_.rounded(request) : round_up(request, kMinBlockSize);
  }

  void undo_segment_alloc(const Entry& entry) {
    const auto found = segments_.find(entry.address);
    if (found == segments_.end() || found->second.size != entry.size) return diagnostics_.add("rewind.unknown_segment");
    if (has_blocks(entry.address, entry.address + entry.size.count)) return diagnostics_.add("rewind.segment_in_use");
    segments_.erase(found);
  }

  /// A range may have been mapped as part of a larger one; what lies before and behind stays.
  void undo_segment_map(const Entry& entry) {
    const auto found = segment_at(entry.address);
    const bool inside = found != segments_.end() && found->second.is_expandable &&
                        entry.size.count <= found->second.size.count - (entry.address - found->first);
    if (!inside || entry.size.count == 0) return diagnostics_.add("rewind.unknown_segment");
    const Address end = entry.address + entry.size.count;
    if (has_blocks(entry.address, end)) return diagnostics_.add("rewind.segment_in_use");
    auto behind = found->second;
    behind.size = Bytes{found->first + found->second.size.count - end};
    behind.address = end;
    found->second.size = Bytes{entry.address - found->first};
    if (found->second.size.count == 0) segments_.erase(found);
    if (behind.size.count > 0) segments_[end] = std::move(behind);
  }

  void add_segment(const Entry& entry, int device, bool expandable) {
    if (overlaps(entry.address, entry.size)) return diagnostics_.add("rewind.occupied");
    const bool is_small = expandable ? entry.size.count % kLargeBuffer.count != 0 : entry.size == kSmallBuffer;
    insert({.device = device,
            .address = entry.address,
            .size = entry.size,
            .stream = entry.stream,
            .is_small = is_small,
            .is_expandable = expandable,
            .pool = entry.pool.value_or(PoolId{}),
            .stack = entry.stack});
  }

  /// Expandable ranges that touch are one; it is as small as the one that was there before.
  void insert(Segment segment) {
    segment.blocks.clear();
    if (const auto before = segment_at(segment.address - 1); before != segments_.end()) {
      if (touches(before->second, segment)) {
        before->second.size += segment.size;
        segment = before->second;
      }
    }
    const auto behind = segments_.find(segment.address + segment.size.count);
    if (behind != segments_.end() && touches(segment, behind->second)) {
      segment.size += behind->second.size;
      segment.is_small = behind->second.is_small;
      segments_.erase(behind);
    }
    segments_[segment.address] = std::move(segment);
  }

  static bool touches(const Segment& before, const Segment& behind) {
    return before.is_expandable && behind.is_expandable && before.stream == behind.stream &&
           before.pool == behind.pool && before.address + before.size.count == behind.address;
  }

  /// The live blocks of a segment, and a free block in each gap.
  void fill(Segment& segment) {
    Address at = segment.address;
    const Address end = segment.address + segment.size.count;
    const auto add_gap = [&](Address until) {
      if (until > at) segment.blocks.push_back({.address = at, .size = Bytes{until - at}});
    };
    for (auto next = blocks_.lower_bound(segment.address); next != blocks_.end() && next->first < end; ++next) {
      add_gap(next->first);
      segment.blocks.push_back(next->second);
      at = next->first + next->second.size.count;
    }
    add_gap(end);
  }

  const RewindRules& rules_;
  Segments segments_;
  std::map<Address, Block> blocks_;
  Diagnostics diagnostics_;
};

}  // namespace

StartState rewind(const Snapshot& snapshot, int device, const RewindRules& rules) {
  Rewinder rewinder(snapshot, device, rules);
  const auto index = static_cast<std::size_t>(device);
  if (index < snapshot.device_traces.size()) {
    for (const auto& entry : snapshot.device_traces[index] | std::views::reverse) rewinder.undo(entry, device);
  }
  return std::move(rewinder).state();
}

}  // namespace dryfit::snapshot
