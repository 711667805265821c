// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/lives.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "simulator/rounding.h"

namespace dryfit::explain {
namespace {

using snapshot::Action;
using snapshot::Entry;
using Address = std::uint64_t;

/// The allocator's memory while we go through its entries. Invariant: blocks are within segments and do not overlap.
class Memory {
 public:
  struct Range {
    Bytes size;
    bool is_small = false;
    bool is_expandable = false;
  };
  struct Block {
    Bytes size;
    std::uint32_t allocation = kNone;
    bool freed = false;  ///< by the program, and still in use by another stream
  };

  explicit Memory(const whatif::Recording& recording)
      : rounding_(recording.config, recording.torch), max_split_size_(recording.config.max_split_size) {}

  void add_segment(Address address, Bytes size, bool is_small, bool is_expandable) {
    segments_[address] = {size, is_small, is_expandable};
    reserved_ += size;
  }

  /// Ranges of expandable memory that touch are one.
  void map(Address address, Bytes size) {
    reserved_ += size;
    const auto before = segment_at(address - 1);
    if (before != segments_.end() && before->second.is_expandable) {
      before->second.size += size;
      return join(before);
    }
    join(segments_.insert_or_assign(address, Range{size, false, true}).first);
  }

  void unmap(Address address, Bytes size) {
    const auto found = segment_at(address);
    if (found == segments_.end()) return;
    reserved_ -= std::min(reserved_, size);
    const Address end = found->first + found->second.size.count;
    const Address behind = std::min(end, address + size.count);
    if (behind < end) segments_[behind] = {Bytes{end - behind}, found->second.is_small, found->second.is_expandable};
    found->second.size = Bytes{address - found->first};
    if (found->second.size.count == 0) segments_.erase(found);
  }

  /// The size of the block that a request got at this address; zero: it does not fit, so the entry is wrong.
  Bytes place(Address address, Bytes request, std::uint32_t allocation) {
    const auto found = segment_at(address);
    if (found == segments_.end()) return {};
    const Bytes gap = gap_at(found->first + found->second.size.count, address);
    Bytes size = rounding_(request);
    if (size > gap) return {};
    const auto& segment = found->second;
    const bool never_split = size >= max_split_size_ && !segment.is_expandable;
    const bool too_little_left = gap - size <= simulator::kSmallSize && !segment.is_small && !segment.is_expandable;
    if (never_split || too_little_left) size = gap;
    blocks_[address] = {size, allocation};
    return size;
  }

  void put(Address address, Block block) { blocks_[address] = block; }

  Block* block_at(Address address) {
    const auto found = blocks_.find(address);
    return found == blocks_.end() ? nullptr : &found->second;
  }
  void remove_block(Address address) { blocks_.erase(address); }

  Bytes reserved() const { return reserved_; }

  std::vector<Segment> segments() const {
    std::vector<Segment> result;
    for (const auto& [address, range] : segments_) result.push_back(filled(address, range));
    return result;
  }

 private:
  using Segments = std::map<Address, Range>;

  Segments::iterator segment_at(Address address) {
    const auto next = segments_.upper_bound(address);
    if (next == segments_.begin()) return segments_.end();
    const auto found = std::prev(next);
    return address - found->first < found->second.size.count ? found : segments_.end();
  }

  void join(Segments::iterator segment) {
    const auto next = std::next(segment);
    const bool touch = next != segments_.end() && next->second.is_expandable &&
                       segment->first + segment->second.size.count == next->first;
    if (!touch) return;
    segment->second.size += next->second.size;
    segments_.erase(next);
  }

  Bytes gap_at(Address segment_end, Address address) const {
    const auto next = blocks_.lower_bound(address);
    if (next != blocks_.begin()) {
      const auto& [begin, block] = *std::prev(next);
      if (address - begin < block.size.count) return {};
    }
    const Address end = next == blocks_.end() ? segment_end : std::min(segment_end, next->first);
    return {end - address};
  }

  Segment filled(Address address, const Range& range) const {
    Segment result{
        .address = address, .bytes = range.size, .is_small = range.is_small, .is_expandable = range.is_expandable};
    Address at = address;
    const Address end = address + range.size.count;
    for (auto next = blocks_.lower_bound(address); next != blocks_.end() && next->first < end; ++next) {
      if (next->first > at) result.blocks.push_back({at, Bytes{next->first - at}});
      const auto& block = next->second;
      result.blocks.push_back({next->first, block.size, block.freed ? kNone : block.allocation});
      at = next->first + block.size.count;
    }
    if (end > at) result.blocks.push_back({at, Bytes{end - at}});
    return result;
  }

  simulator::SizeRounding rounding_;
  Bytes max_split_size_;
  Segments segments_;
  std::map<Address, Block> blocks_;
  Bytes reserved_;
};

/// What existed before the first entry.
void load_start(const whatif::Recording& recording, Memory& memory, Lives& lives) {
  for (const auto& segment : recording.start) {
    memory.add_segment(segment.address, segment.size, segment.is_small, segment.is_expandable);
    for (const auto& block : segment.blocks) {
      if (block.state == simulator::BlockState::kInactive) continue;
      const bool freed = block.state == simulator::BlockState::kPendingFree;
      const auto index = static_cast<std::uint32_t>(lives.allocations.size());
      memory.put(block.address, {block.size, freed ? kNone : index, freed});
      if (freed) continue;
      lives.allocations.push_back({.address = block.address, .bytes = block.size, .requested = block.requested});
      lives.stacks.push_back(snapshot::kNoStack);
    }
  }
}

void apply_segment(const Entry& entry, Memory& memory) {
  switch (entry.action) {
    case Action::segment_alloc:
      return memory.add_segment(entry.address, entry.size, entry.size == simulator::kSmallBuffer, false);
    case Action::segment_map:
      return memory.map(entry.address, entry.size);
    case Action::segment_free:
    case Action::segment_unmap:
      return memory.unmap(entry.address, entry.size);
    default:
      return;
  }
}

class LifeReader {
 public:
  explicit LifeReader(const whatif::Recording& recording) : recording_(recording), memory_(recording) {}

  Lives read() {
    load_start(recording_, memory_, lives_);
    for (const auto& allocation : lives_.allocations) allocated_ += allocation.bytes;
    lives_.peak_allocated = allocated_;
    lives_.reserved.push_back({0, memory_.reserved()});
    const auto& entries = recording_.entries();
    lives_.allocation_of.assign(entries.size(), kNone);
    for (Event event = 0; event < entries.size(); ++event) {
      apply(entries[event], event);
      note(event);
    }
    return std::move(lives_);
  }

 private:
  void apply(const Entry& entry, Event event) {
    switch (entry.action) {
      case Action::alloc:
        return alloc(entry, event);
      case Action::free_requested:
        return free_requested(entry, event);
      case Action::free_completed:
        return memory_.remove_block(entry.address);
      default:
        return apply_segment(entry, memory_);
    }
  }

  void alloc(const Entry& entry, Event event) {
    const auto index = static_cast<std::uint32_t>(lives_.allocations.size());
    const Bytes size = memory_.place(entry.address, entry.size, index);
    if (size.count == 0) return lives_.diagnostics.add("explain.unknown_block");
    lives_.allocations.push_back({.born = event, .address = entry.address, .bytes = size, .requested = entry.size});
    lives_.stacks.push_back(entry.stack);
    lives_.allocation_of[event] = index;
    allocated_ += size;
  }

  void free_requested(const Entry& entry, Event event) {
    auto* block = memory_.block_at(entry.address);
    if (!block || block->freed) return lives_.diagnostics.add("explain.unknown_block");
    block->freed = true;
    lives_.allocations[block->allocation].died = event;
    lives_.allocation_of[event] = block->allocation;
    allocated_ -= block->size;
  }

  void note(Event event) {
    if (allocated_ > lives_.peak_allocated) {
      lives_.peak_allocated = allocated_;
      lives_.peak = event;
    }
    if (memory_.reserved() != lives_.reserved.back().bytes) {
      if (lives_.reserved.back().begin == event) lives_.reserved.pop_back();
      lives_.reserved.push_back({event, memory_.reserved()});
    }
    lives_.peak_reserved = std::max(lives_.peak_reserved, memory_.reserved());
  }

  const whatif::Recording& recording_;
  Memory memory_;
  Lives lives_;
  Bytes allocated_;
};

}  // namespace

Lives lives_of(const whatif::Recording& recording) { return LifeReader(recording).read(); }

std::vector<Segment> segments_at(const whatif::Recording& recording, const Lives& lives, Event event) {
  Memory memory(recording);
  Lives ignored;
  load_start(recording, memory, ignored);
  const auto& entries = recording.entries();
  for (Event i = 0; i <= event && i < entries.size(); ++i) {
    const auto& entry = entries[i];
    const auto allocation = lives.allocation_of[i];
    if (entry.action == Action::alloc && allocation != kNone) {
      memory.put(entry.address, {lives.allocations[allocation].bytes, allocation});
    } else if (entry.action == Action::free_requested && allocation != kNone) {
      memory.block_at(entry.address)->freed = true;
    } else if (entry.action == Action::free_completed) {
      memory.remove_block(entry.address);
    } else {
      apply_segment(entry, memory);
    }
  }
  return memory.segments();
}

}  // namespace dryfit::explain
