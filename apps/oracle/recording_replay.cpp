// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "recording_replay.h"

#include <algorithm>
#include <unordered_map>

#include "simulator/caching_allocator.h"

namespace dryfit::oracle {
namespace {

using simulator::Address;
using simulator::BlockId;
using simulator::BlockInfo;
using simulator::BlockState;
using simulator::CachingAllocator;
using simulator::SegmentInfo;
using Kind = RecordedEvent::Kind;

std::string hex(Address address) {
  char text[20];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(address));
  return text;
}

struct Range {
  Address address = 0;
  Bytes size;
  friend auto operator<=>(const Range&, const Range&) = default;
};

std::string to_text(const std::vector<Range>& ranges) {
  if (ranges.empty()) return "none";
  std::string text = hex(ranges[0].address) + " of " + std::to_string(ranges[0].size.count);
  if (ranges.size() > 1) text += " and " + std::to_string(ranges.size() - 1) + " more";
  return text;
}

/// Notes the segments that the simulator requests and releases.
class SegmentNotes : public simulator::Observer {
 public:
  void segment_alloc(Address address, Bytes size, simulator::StreamId) override { made.push_back({address, size}); }
  void segment_map(Address address, Bytes size, simulator::StreamId) override { made.push_back({address, size}); }
  void segment_free(Address address, Bytes size, simulator::StreamId) override { gone.push_back({address, size}); }
  void segment_unmap(Address address, Bytes size, simulator::StreamId) override { gone.push_back({address, size}); }

  std::vector<Range> made;
  std::vector<Range> gone;
};

std::vector<Address> new_segments_of(const Recording& recording) {
  std::vector<Address> addresses;
  for (const RecordedEvent& event : recording.events) {
    if (event.kind == Kind::kSegmentAlloc) addresses.push_back(event.address);
  }
  return addresses;
}

class RecordingReplay {
 public:
  RecordingReplay(const Recording& recording, const simulator::AllocConfig& config)
      : recording_(recording),
        allocator_({.version = recording.version,
                    .config = config,
                    .addresses = std::make_unique<simulator::RecordedAddresses>(new_segments_of(recording)),
                    .observer = &notes_}) {}

  Status start() {
    if (Status status = allocator_.load(recording_.start); !status) return status;
    for (const SegmentInfo& segment : allocator_.segments()) {
      for (const BlockInfo& block : segment.blocks) {
        if (block.state != BlockState::kInactive) live_[block.address] = block.id;
      }
    }
    return {};
  }

  Comparison run() {
    for (at_ = 0; at_ < recording_.events.size() && !comparison_.first; ++at_) {
      perform(recording_.events[at_]);
      comparison_.count_operation();
    }
    const bool has_end = !recording_.end_segments.empty() || !recording_.end_blocks.empty();
    if (!comparison_.first && has_end) compare_end();
    comparison_.count_file();
    return comparison_;
  }

 private:
  void differ(std::string column, std::string expected, std::string got) {
    const std::uint64_t line = at_ < recording_.events.size() ? recording_.events[at_].line : 0;
    comparison_.add({line, std::move(column), std::move(expected), std::move(got)});
  }

  void perform(const RecordedEvent& event) {
    switch (event.kind) {
      case Kind::kSegmentAlloc:
        expected_.push_back({event.address, event.size});
        break;
      case Kind::kSegmentFree:
        give_back();
        break;
      case Kind::kAlloc:
        allocate(event);
        break;
      case Kind::kFree:
      case Kind::kFreeRequested:
      case Kind::kFreeCompleted:
        free(event);
        break;
    }
  }

  void allocate(const RecordedEvent& event) {
    notes_.made.clear();
    const auto allocation = allocator_.malloc(event.size, event.stream);
    if (notes_.made != expected_) differ("new segments", to_text(expected_), to_text(notes_.made));
    expected_.clear();
    const std::string got = allocation ? hex(allocation.address) : "out of memory";
    if (got != hex(event.address)) differ("address", hex(event.address), got);
    if (allocation) live_[event.address] = allocation.block;
  }

  /// Several segments released one after the other come from emptying the cache once.
  void give_back() {
    std::vector<Range> expected;
    for (; at_ < recording_.events.size() && recording_.events[at_].kind == Kind::kSegmentFree; ++at_) {
      expected.push_back({recording_.events[at_].address, recording_.events[at_].size});
      comparison_.count_operation();
    }
    --at_;
    comparison_.operations -= 1;
    notes_.gone.clear();
    allocator_.empty_cache();
    std::sort(expected.begin(), expected.end());
    std::sort(notes_.gone.begin(), notes_.gone.end());
    if (expected != notes_.gone) differ("segments given back", to_text(expected), to_text(notes_.gone));
  }

  void free(const RecordedEvent& event) {
    const auto found = live_.find(event.address);
    if (found == live_.end()) return differ("block", "one at " + hex(event.address), "none there");
    if (event.kind == Kind::kFreeRequested) return allocator_.request_free(found->second);
    if (event.kind == Kind::kFreeCompleted) {
      allocator_.complete_free(found->second);
    } else {
      allocator_.free(found->second);
    }
    live_.erase(found);
  }

  void compare_end() {
    const std::vector<SegmentInfo> segments = allocator_.segments();
    std::vector<Range> got;
    std::vector<BlockInfo> blocks;
    for (const SegmentInfo& segment : segments) {
      got.push_back({segment.address, segment.size});
      for (const BlockInfo& block : segment.blocks) {
        if (block.state != BlockState::kInactive || recording_.end_blocks_have_free_ones) blocks.push_back(block);
      }
    }
    std::vector<Range> expected;
    for (const SegmentInfo& segment : recording_.end_segments) expected.push_back({segment.address, segment.size});
    std::sort(expected.begin(), expected.end());
    if (!expected.empty() && expected != got) differ("segments at the end", to_text(expected), to_text(got));
    compare_end_blocks(blocks);
  }

  void compare_end_blocks(const std::vector<BlockInfo>& got) {
    std::vector<BlockInfo> expected = recording_.end_blocks;
    std::sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.address < b.address; });
    const auto same = [this](const BlockInfo& a, const BlockInfo& b) {
      return a.address == b.address && a.size == b.size && a.state == b.state &&
             (a.requested == b.requested || !recording_.end_blocks_have_requests);
    };
    const auto [wrong, instead] = std::mismatch(expected.begin(), expected.end(), got.begin(), got.end(), same);
    if (wrong == expected.end() && instead == got.end()) return;
    const auto describe = [](auto place, auto end) {
      return place == end ? std::string("none") : hex(place->address) + " of " + std::to_string(place->size.count);
    };
    differ("block at the end", describe(wrong, expected.end()), describe(instead, got.end()));
  }

  const Recording& recording_;
  SegmentNotes notes_;
  CachingAllocator allocator_;
  std::unordered_map<Address, BlockId> live_;
  std::vector<Range> expected_;
  std::size_t at_ = 0;
  Comparison comparison_;
};

}  // namespace

Result<Comparison> replay_recording(const Recording& recording) {
  const auto config = simulator::parse_alloc_config(recording.conf, recording.version);
  if (!config) return config.error();
  RecordingReplay replay(recording, *config);
  if (Status status = replay.start(); !status) return status.error();
  return replay.run();
}

}  // namespace dryfit::oracle
