// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace dryfit::simulator {

/// A device address.
using Address = std::uint64_t;

/// A CUDA stream by its handle; 0 is the default stream. Free blocks are ordered by it.
struct StreamId {
  std::uint64_t handle = 0;
  friend constexpr auto operator<=>(StreamId, StreamId) = default;
};

/// PyTorch's MempoolId_t. {0, 0} is the default pools; {x, 0} comes from a user's MemPool, {0, x} from a CUDA graph.
struct MempoolId {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend constexpr auto operator<=>(MempoolId, MempoolId) = default;
  constexpr bool is_default() const { return first == 0 && second == 0; }
};

/// Identifies an allocation from its malloc() to its free(); reused afterwards.
enum class BlockId : std::uint32_t {};
inline constexpr BlockId kNoBlock{0xffffffff};

enum class BlockState {
  kAllocated,
  kPendingFree,  ///< freed by the program, still in use by another stream
  kInactive,
};

/// A piece of a segment, as memory snapshots describe it.
struct BlockInfo {
  Address address = 0;
  Bytes size;
  Bytes requested;  ///< 0 for inactive blocks
  BlockState state = BlockState::kInactive;
  BlockId id = kNoBlock;  ///< for kAllocated and kPendingFree; not read by load()
};

/// Memory obtained from the device in one piece; for an expandable segment, one contiguous mapped range.
struct SegmentInfo {
  Address address = 0;
  Bytes size;
  StreamId stream;
  bool is_small = false;
  bool is_expandable = false;
  MempoolId pool;
  std::vector<BlockInfo> blocks;  ///< in address order
};

}  // namespace dryfit::simulator
