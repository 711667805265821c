// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "simulator/layout.h"
#include "simulator/torch_version.h"

namespace dryfit::oracle {

/// One line of a recording on a real GPU.
struct RecordedEvent {
  enum class Kind { kSegmentAlloc, kSegmentFree, kAlloc, kFree, kFreeRequested, kFreeCompleted };

  Kind kind = Kind::kAlloc;
  std::uint64_t line = 0;  ///< of the file, from 1
  simulator::Address address = 0;
  Bytes size;  ///< requested, for allocations
  simulator::StreamId stream;
};

/// A memory snapshot as text: the state at its beginning, what happened, the state at its end. Both forms of such files
/// are read: real/*.txt of the oracle, and the text traces of memory snapshots.
struct Recording {
  simulator::TorchVersion version{2, 6, 0};
  std::string conf;
  std::vector<simulator::SegmentInfo> start;
  std::vector<RecordedEvent> events;
  /// The recorded final state: whole segments, and blocks (all of them, or only those in use).
  std::vector<simulator::SegmentInfo> end_segments;
  std::vector<simulator::BlockInfo> end_blocks;
  bool end_blocks_have_free_ones = false;
  bool end_blocks_have_requests = false;
};

Result<Recording> read_recording(const std::string& path);

}  // namespace dryfit::oracle
