// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"

/// A PyTorch memory snapshot (torch.cuda.memory._snapshot) as plain data, in PyTorch's own terms. Read by
/// reader.h, written by writer.h.
namespace dryfit::snapshot {

using Address = std::uint64_t;

/// One line of a call stack.
struct Frame {
  std::string name;  ///< of the function
  std::string filename;
  std::int64_t line = 0;
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

/// Index into Snapshot::stacks.
using StackId = std::uint32_t;
inline constexpr StackId kNoStack = ~StackId{0};

/// {0, 0} is the default pool; others belong to CUDA graphs and MemPools.
struct PoolId {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend constexpr auto operator<=>(PoolId, PoolId) = default;
};

enum class BlockState {
  active_allocated,
  active_pending_free,  ///< freed by the program, still in use by another stream
  inactive,
};

struct Block {
  Address address = 0;
  Bytes size;
  Bytes requested;  ///< by the program; inactive blocks keep an old value
  BlockState state = BlockState::inactive;
  StackId stack = kNoStack;
};

/// Memory obtained from the driver in one piece; for an expandable segment, one contiguous mapped range.
struct Segment {
  int device = 0;
  Address address = 0;
  Bytes size;
  std::uint64_t stream = 0;
  bool is_small = false;
  bool is_expandable = false;
  PoolId pool;
  StackId stack = kNoStack;
  std::vector<Block> blocks;  ///< in address order; they fill the segment
};

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  snapshot,
  oom,
  annotate,
};

/// An event of the allocator.
struct Entry {
  Action action = Action::alloc;
  StackId stack = kNoStack;
  Address address = 0;  ///< for oom: the bytes left on the device
  Bytes size;           ///< for alloc and free: as requested; for oom: rounded
  std::uint64_t stream = 0;
  std::int64_t time_us = 0;    ///< since 1970; 0 before torch 2.2
  std::optional<PoolId> pool;  ///< since torch 2.8; none: not recorded
};

struct Settings {
  std::string alloc_conf;  ///< PYTORCH_CUDA_ALLOC_CONF, or what replaced it at run time
  std::optional<Bytes> max_split_size;
  double garbage_collection_threshold = 0;
  bool expandable_segments = false;
  std::map<std::string, std::int64_t> roundup_power2_divisions;  ///< "1" to "32768" (MiB) → divisions
};

struct Snapshot {
  std::vector<Segment> segments;                  ///< of all devices, by device and address
  std::vector<std::vector<Entry>> device_traces;  ///< by device
  Settings settings;
  std::vector<Frame> frames;                       ///< each once
  std::vector<std::vector<std::uint32_t>> stacks;  ///< indices into frames, innermost first; each stack once
  std::string oldest_torch = "1.13";               ///< the first release that writes everything found: "2.8"
  Diagnostics diagnostics;

  /// The innermost frame outside PyTorch and Python themselves; if there is none, the innermost of all; null without a
  /// stack.
  const Frame* user_frame(StackId stack) const;
};

/// Whether the frame is in PyTorch, Python or an installed package, or in no file.
bool is_library(const Frame& frame);

/// "segment_alloc"; "active_pending_free".
std::string_view to_text(Action action);
std::string_view to_text(BlockState state);
std::optional<Action> parse_action(std::string_view text);
std::optional<BlockState> parse_block_state(std::string_view text);

}  // namespace dryfit::snapshot
