// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "card/machine.h"
#include "simulator/alloc_config.h"
#include "simulator/layout.h"
#include "simulator/torch_version.h"
#include "snapshot/snapshot.h"

namespace dryfit::whatif {

/// Identifies an allocation of a recording while it is alive; reused afterwards.
using Slot = std::uint32_t;

/// What the program did: the causes among the entries of a trace. Segments are effects and do not count, except those
/// released because the program requested it.
struct Operation {
  enum class Kind : std::uint8_t {
    malloc,
    free,          ///< requested and completed at once
    request_free,  ///< the block is still in use by another stream
    complete_free,
    empty_cache,    ///< torch.cuda.empty_cache()
    refused_malloc  ///< raised OutOfMemoryError in the recording; the size is rounded
  };
  Kind kind = Kind::malloc;
  Slot slot = 0;
  std::uint32_t entry = 0;  ///< index into the device's trace
  Bytes size;               ///< as requested
  simulator::StreamId stream;
  simulator::MempoolId pool;
  bool is_optional = false;  ///< if it does not fit, the program continues without it
};

/// A block that existed before the first entry.
struct StartBlock {
  simulator::Address address = 0;
  Slot slot = 0;
};

/// One device of a snapshot, prepared to be replayed any number of times under other conditions. Refers to the
/// snapshot, which must outlive it. Without a snapshot it is operations alone, as an estimate has them.
struct Recording {
  const snapshot::Snapshot* snapshot = nullptr;
  int device = 0;
  // The conditions of the recording, as far as the snapshot and its origin show them.
  simulator::TorchVersion torch;
  simulator::AllocConfig config;
  std::string alloc_conf;

  std::vector<simulator::SegmentInfo> start;  ///< before the first entry; empty: recorded from its beginning
  std::vector<StartBlock> start_blocks;
  std::vector<Operation> operations;
  bool outlives_refusals = false;         ///< it allocated more after an OutOfMemoryError: it catches them
  Slot slots = 0;                         ///< all slots are below this
  std::vector<RecordedSegment> segments;  ///< created in the recording, in that order; expandable ones are left out
  Diagnostics diagnostics;

  /// Memory that PyTorch had reserved before the first entry.
  Bytes reserved_at_start() const;

  /// Empty where the operations do not come from a snapshot.
  const std::vector<snapshot::Entry>& entries() const;
};

/// Prepares a device of the snapshot. An Error when nothing was recorded for it, or when its configuration string is
/// not valid for this PyTorch. Diagnostics beside those of snapshot::rewind:
///   replay.unknown_block   frees of unknown blocks; left out
///   replay.empty_cache     calls of torch.cuda.empty_cache that were recognised
Result<Recording> prepare(const snapshot::Snapshot& snapshot, int device, simulator::TorchVersion torch);

/// The devices of a snapshot that have recorded entries, in order.
std::vector<int> recorded_devices(const snapshot::Snapshot& snapshot);

}  // namespace dryfit::whatif
