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

/// Names an allocation of a recording while it lives; used again afterwards.
using Slot = std::uint32_t;

/// What the program did: the causes among the entries of a trace. Segments are effects and do not count, but for those
/// given back because the program asked for it.
struct Operation {
  enum class Kind : std::uint8_t {
    malloc,
    free,          ///< requested and completed at once
    request_free,  ///< the block is still in use by another stream
    complete_free,
    empty_cache,    ///< torch.cuda.empty_cache()
    refused_malloc  ///< it raised OutOfMemoryError in the recording; the size is rounded
  };
  Kind kind = Kind::malloc;
  Slot slot = 0;
  std::uint32_t entry = 0;  ///< index into the device's trace
  Bytes size;               ///< as requested
  simulator::StreamId stream;
  simulator::MempoolId pool;
};

/// A block that was there before the first entry.
struct StartBlock {
  simulator::Address address = 0;
  Slot slot = 0;
};

/// One device of a snapshot, made ready to be played again and again under other conditions. Refers to the snapshot,
/// which must outlive it.
struct Recording {
  const snapshot::Snapshot* snapshot = nullptr;
  int device = 0;
  // Under what it was recorded, as far as the snapshot and its origin tell.
  simulator::TorchVersion torch;
  simulator::AllocConfig config;
  std::string alloc_conf;

  std::vector<simulator::SegmentInfo> start;  ///< before the first entry; empty: recorded from its beginning
  std::vector<StartBlock> start_blocks;
  std::vector<Operation> operations;
  bool outlives_refusals = false;         ///< it asked for more after an OutOfMemoryError: it catches them
  Slot slots = 0;                         ///< all slots are below this
  std::vector<RecordedSegment> segments;  ///< made in the recording, in that order; expandable ones left out
  Diagnostics diagnostics;

  /// What PyTorch had reserved before the first entry.
  Bytes reserved_at_start() const;

  const std::vector<snapshot::Entry>& entries() const {
    return snapshot->device_traces[static_cast<std::size_t>(device)];
  }
};

/// Prepares a device of the snapshot. An Error when nothing was recorded for it, or when its configuration string is
/// not one that this PyTorch takes. Diagnostics beside those of snapshot::rewind:
///   replay.unknown_block   frees of blocks that are not known to be there; left out
///   replay.empty_cache     calls of torch.cuda.empty_cache that were recognised
Result<Recording> prepare(const snapshot::Snapshot& snapshot, int device, simulator::TorchVersion torch);

/// The devices of a snapshot that have something to play, in order.
std::vector<int> recorded_devices(const snapshot::Snapshot& snapshot);

}  // namespace dryfit::whatif
