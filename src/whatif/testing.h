// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "snapshot/snapshot.h"
#include "whatif/recording.h"

/// Recordings for tests.
namespace dryfit::whatif::testing {

inline constexpr simulator::TorchVersion kTorch{2, 6, 0};

/// Builds the snapshot of a program on one device, entry by entry. Its segments at the end are given apart.
class Tape {
 public:
  using Action = snapshot::Action;

  Tape& add(Action action, std::uint64_t address, Bytes size, std::uint64_t stream = 0) {
    entries().push_back({.action = action, .stack = stack_, .address = address, .size = size, .stream = stream});
    return *this;
  }
  /// A segment of this size, and all of it allocated.
  Tape& alloc_segment(std::uint64_t address, Bytes size) {
    return add(Action::segment_alloc, address, size).add(Action::alloc, address, size);
  }
  Tape& free(std::uint64_t address, Bytes size) {
    return add(Action::free_requested, address, size).add(Action::free_completed, address, size);
  }
  /// What follows happens in this function.
  Tape& in(const std::string& function) {
    snapshot_.stacks.push_back({static_cast<std::uint32_t>(snapshot_.frames.size())});
    snapshot_.frames.push_back({function, "/home/me/train.py", static_cast<std::int64_t>(snapshot_.frames.size()) + 1});
    stack_ = static_cast<snapshot::StackId>(snapshot_.stacks.size() - 1);
    return *this;
  }
  /// A segment that is there at the end, with this much of its beginning allocated.
  Tape& ends_with(std::uint64_t address, Bytes size, Bytes used) {
    snapshot::Segment segment{.address = address, .size = size, .is_small = size.count == 2u << 20};
    if (used.count > 0) {
      segment.blocks.push_back(
          {.address = address, .size = used, .requested = used, .state = snapshot::BlockState::active_allocated});
    }
    if (used < size) segment.blocks.push_back({.address = address + used.count, .size = size - used});
    snapshot_.segments.push_back(segment);
    return *this;
  }

  std::vector<snapshot::Entry>& entries() { return snapshot_.device_traces.front(); }
  const snapshot::Snapshot& snapshot() const { return snapshot_; }
  snapshot::Snapshot& snapshot() { return snapshot_; }

  Recording recording() const {
    auto result = prepare(snapshot_, 0, kTorch);
    return result ? std::move(result).value() : Recording{};
  }

 private:
  snapshot::Snapshot snapshot_{.device_traces = {{}}};
  snapshot::StackId stack_ = snapshot::kNoStack;
};

inline constexpr std::uint64_t kA = 0x700000000000;
inline constexpr std::uint64_t kB = 0x710000000000;
inline constexpr std::uint64_t kC = 0x720000000000;

}  // namespace dryfit::whatif::testing
