// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "snapshot/snapshot.h"

/// Snapshots and pickles for tests.
namespace dryfit::snapshot::testing {

/// "PROTO 4", then these bytes, then STOP.
inline std::string pickle_of(std::string_view body) {
  using namespace std::string_view_literals;
  return std::string("\x80\x04"sv).append(body).append(".");
}

inline Entry entry(Action action, Address address, Bytes size, StackId stack = kNoStack) {
  return {.action = action, .stack = stack, .address = address, .size = size};
}

/// A segment with `live` allocated blocks; the rest is free.
inline Segment segment(Address address, Bytes size, const std::vector<Block>& live = {}) {
  Segment result{.address = address, .size = size, .is_small = size.count == 2u << 20};
  Address at = address;
  const auto free_until = [&](Address end) {
    if (end > at) result.blocks.push_back({.address = at, .size = Bytes{end - at}});
    at = end;
  };
  for (const auto& block : live) {
    free_until(block.address);
    result.blocks.push_back(block);
    at += block.size.count;
  }
  free_until(address + size.count);
  return result;
}

inline Block allocated(Address address, Bytes size) {
  return {.address = address, .size = size, .requested = size, .state = BlockState::active_allocated};
}

/// One device, two segments, a stack, every kind of entry.
inline Snapshot sample() {
  using namespace literals;
  Snapshot result;
  result.frames = {{"forward", "/home/me/train.py", 12}, {"<module>", "/home/me/train.py", 40}};
  result.stacks = {{0, 1}};
  result.segments = {segment(0x10000000, 2_MiB, {allocated(0x10000000, 1024_B)}),
                     segment(0x20000000, 20_MiB, {allocated(0x20000000, 5_MiB)})};
  result.segments[0].blocks[0].stack = 0;
  result.settings = {.alloc_conf = "max_split_size_mb:64",
                     .max_split_size = 64_MiB,
                     .garbage_collection_threshold = 0.5,
                     .roundup_power2_divisions = {{"1", 4}}};
  auto& trace = result.device_traces.emplace_back();
  for (int action = 0; action <= static_cast<int>(Action::annotate); ++action) {
    trace.push_back(entry(static_cast<Action>(action), 0x7f0000000000 + 512 * trace.size(), 1000_B, 0));
    trace.back().time_us = 1'794'823'451'762'519;
    trace.back().stream = 7;
  }
  trace.back().pool = PoolId{0, 1};
  return result;
}

}  // namespace dryfit::snapshot::testing
