// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/recording.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "simulator/rounding.h"
#include "snapshot/rewind.h"
#include "whatif/empty_cache.h"

namespace dryfit::whatif {
namespace {

using snapshot::Action;
using snapshot::Entry;

simulator::BlockState state_of(snapshot::BlockState state) {
  switch (state) {
    case snapshot::BlockState::active_allocated:
      return simulator::BlockState::kAllocated;
    case snapshot::BlockState::active_pending_free:
      return simulator::BlockState::kPendingFree;
    case snapshot::BlockState::inactive:
      break;
  }
  return simulator::BlockState::kInactive;
}

simulator::SegmentInfo info_of(const snapshot::Segment& segment) {
  simulator::SegmentInfo info{.address = segment.address,
                              .size = segment.size,
                              .stream = {segment.stream},
                              .is_small = segment.is_small,
                              .is_expandable = segment.is_expandable,
                              .pool = {segment.pool.first, segment.pool.second}};
  for (const auto& block : segment.blocks) {
    info.blocks.push_back(
        {.address = block.address, .size = block.size, .requested = block.requested, .state = state_of(block.state)});
  }
  return info;
}

/// The number that a key of PyTorch's settings is; anything else sorts first.
std::int64_t number_of(const std::string& key) {
  std::int64_t number = 0;
  std::from_chars(key.data(), key.data() + key.size(), number);
  return number;
}

/// What the settings amount to where they do not carry the string itself.
std::string conf_of(const snapshot::Settings& settings) {
  if (!settings.alloc_conf.empty()) return settings.alloc_conf;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  if (settings.expandable_segments) add("expandable_segments:True");
  if (settings.max_split_size) add("max_split_size_mb:" + std::to_string(settings.max_split_size->count >> 20));
  if (settings.garbage_collection_threshold > 0) {
    add("garbage_collection_threshold:" + std::to_string(settings.garbage_collection_threshold));
  }
  std::map<std::int64_t, std::int64_t> divisions;
  for (const auto& [interval, count] : settings.roundup_power2_divisions) {
    if (count > 0) divisions[number_of(interval)] = count;
  }
  std::string list;
  for (const auto& [interval, count] : divisions) {
    list += (list.empty() ? "" : ",") + std::to_string(interval) + ":" + std::to_string(count);
  }
  if (!list.empty()) add("roundup_power2_divisions:[" + list + "]");
  return text;
}

/// Whether the free that begins at `i` is completed by the entry behind it.
bool completes_at_once(const std::vector<Entry>& entries, std::size_t i) {
  return i + 1 < entries.size() && entries[i + 1].action == Action::free_completed &&
         entries[i + 1].address == entries[i].address;
}

class Preparation {
 public:
  explicit Preparation(Recording recording) : recording_(std::move(recording)) {}

  Recording prepare() && {
    rewind();
    note_when_made();
    const auto& entries = recording_.entries();
    const auto calls = find_calls();
    auto call = calls.begin();
    recording_.operations.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (call != calls.end() && *call == i) {
        add(Operation::Kind::empty_cache, i, 0);
        ++call;
      }
      i += on(entries[i], i);
    }
    if (!calls.empty()) recording_.diagnostics.add("replay.empty_cache", calls.size());
    return std::move(recording_);
  }

 private:
  struct Live {
    Slot slot;
    bool requested = false;  ///< its free
  };

  void rewind() {
    const simulator::SizeRounding rounding(recording_.config, recording_.torch);
    auto start = snapshot::rewind(*recording_.snapshot, recording_.device,
                                  {.rounded = rounding, .max_split_size = recording_.config.max_split_size});
    recording_.diagnostics.merge(start.diagnostics);
    for (const auto& segment : start.segments) {
      recording_.start.push_back(info_of(segment));
      for (const auto& block : segment.blocks) {
        if (block.state == snapshot::BlockState::inactive) continue;
        const auto slot = new_slot();
        recording_.start_blocks.push_back({block.address, slot});
        live_[block.address] = {slot, block.state == snapshot::BlockState::active_pending_free};
      }
    }
  }

  std::vector<std::size_t> find_calls() const {
    const auto& config = recording_.config;
    const bool collects = config.garbage_collection_threshold > 0 || config.max_split_size != simulator::kUnlimited;
    return empty_cache_calls(*recording_.snapshot, recording_.entries(), recording_.reserved_at_start(), collects);
  }

  /// How many entries behind it are done with too.
  std::size_t on(const Entry& entry, std::size_t index) {
    switch (entry.action) {
      case Action::alloc:
        on_alloc(entry, index);
        return 0;
      case Action::free_requested:
        return on_free_requested(entry, index);
      case Action::free_completed:
        on_free_completed(entry, index);
        return 0;
      case Action::oom:
        add(Operation::Kind::refused_malloc, index, 0);
        was_refused_ = true;
        return 0;
      case Action::segment_alloc:
        recording_.segments.push_back({entry.size, entry.address});
        return 0;
      default:
        return 0;
    }
  }

  void on_alloc(const Entry& entry, std::size_t index) {
    const auto slot = new_slot();
    if (const auto [known, is_new] = live_.insert_or_assign(entry.address, Live{slot}); !is_new) {
      recording_.diagnostics.add("replay.unknown_block");
    }
    add(Operation::Kind::malloc, index, slot);
    recording_.outlives_refusals |= was_refused_;
  }

  std::size_t on_free_requested(const Entry& entry, std::size_t index) {
    const auto found = live_.find(entry.address);
    if (found == live_.end() || found->second.requested) {
      recording_.diagnostics.add("replay.unknown_block");
      return 0;
    }
    const bool at_once = completes_at_once(recording_.entries(), index);
    add(at_once ? Operation::Kind::free : Operation::Kind::request_free, index, found->second.slot);
    found->second.requested = true;
    if (at_once) forget(found);
    return at_once ? 1 : 0;
  }

  void on_free_completed(const Entry& entry, std::size_t index) {
    const auto found = live_.find(entry.address);
    if (found == live_.end() || !found->second.requested) return recording_.diagnostics.add("replay.unknown_block");
    add(Operation::Kind::complete_free, index, found->second.slot);
    forget(found);
  }

  void forget(std::unordered_map<snapshot::Address, Live>::iterator block) {
    free_slots_.push_back(block->second.slot);
    live_.erase(block);
  }

  Slot new_slot() {
    if (free_slots_.empty()) return recording_.slots++;
    const auto slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  void add(Operation::Kind kind, std::size_t index, Slot slot) {
    const auto& entry = recording_.entries()[index];
    const auto pool = pool_of(entry, index);
    recording_.operations.push_back({.kind = kind,
                                     .slot = slot,
                                     .entry = static_cast<std::uint32_t>(index),
                                     .size = entry.size,
                                     .stream = {entry.stream},
                                     .pool = {pool.first, pool.second}});
  }

  /// Which of the snapshot's segments holds the address at the end, as an index; their number: none.
  std::size_t last_segment_at(snapshot::Address address) const {
    const auto& segments = recording_.snapshot->segments;
    const auto key = [](const snapshot::Segment& segment) { return std::pair(segment.device, segment.address); };
    const auto next = std::ranges::upper_bound(segments, std::pair(recording_.device, address), {}, key);
    if (next == segments.begin()) return segments.size();
    const auto& segment = *std::prev(next);
    const bool inside = segment.device == recording_.device && address - segment.address < segment.size.count;
    return inside ? static_cast<std::size_t>(&segment - segments.data()) : segments.size();
  }

  /// Before its making another segment may have been where it is.
  void note_when_made() {
    made_.resize(recording_.snapshot->segments.size());
    const auto& entries = recording_.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto action = entries[i].action;
      if (action != Action::segment_alloc && action != Action::segment_free) continue;
      if (const auto segment = last_segment_at(entries[i].address); segment < made_.size()) made_[segment] = i;
    }
  }

  /// Entries say it since torch 2.8; before, the segment does if it is still there at the end.
  snapshot::PoolId pool_of(const Entry& entry, std::size_t index) const {
    if (entry.action != Action::alloc || entry.pool) return entry.pool.value_or(snapshot::PoolId{});
    const auto segment = last_segment_at(entry.address);
    if (segment == made_.size() || index < made_[segment]) return {};
    return recording_.snapshot->segments[segment].pool;
  }

  Recording recording_;
  std::unordered_map<snapshot::Address, Live> live_;
  std::vector<Slot> free_slots_;
  bool was_refused_ = false;
  std::vector<std::size_t> made_;  ///< by segment of the snapshot: the entry that made it; 0: there from the beginning
};

}  // namespace

const std::vector<Entry>& Recording::entries() const {
  static const std::vector<Entry> kNone;
  return snapshot ? snapshot->device_traces[static_cast<std::size_t>(device)] : kNone;
}

Bytes Recording::reserved_at_start() const {
  Bytes sum;
  for (const auto& segment : start) sum += segment.size;
  return sum;
}

Result<Recording> prepare(const snapshot::Snapshot& snapshot, int device, simulator::TorchVersion torch) {
  const auto index = static_cast<std::size_t>(device);
  if (device < 0 || index >= snapshot.device_traces.size() || snapshot.device_traces[index].empty()) {
    return Error{"nothing was recorded for device " + std::to_string(device),
                 "Call torch.cuda.memory._record_memory_history() before the part you want to record."};
  }
  Recording recording{
      .snapshot = &snapshot, .device = device, .torch = torch, .alloc_conf = conf_of(snapshot.settings)};
  auto config = simulator::parse_alloc_config(recording.alloc_conf, torch);
  if (!config) return Error{"the recorded configuration: " + config.error().what, config.error().hint};
  recording.config = std::move(config).value();
  return Preparation(std::move(recording)).prepare();
}

std::vector<int> recorded_devices(const snapshot::Snapshot& snapshot) {
  std::vector<int> devices;
  for (std::size_t i = 0; i < snapshot.device_traces.size(); ++i) {
    if (!snapshot.device_traces[i].empty()) devices.push_back(static_cast<int>(i));
  }
  return devices;
}

}  // namespace dryfit::whatif
