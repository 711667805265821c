// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/torch_snapshot.h"

#include <algorithm>

namespace dryfit::history {
namespace {

using snapshot::Action;

struct Reach {
  std::int64_t peak = 0;
  bool failed = false;  ///< nothing was allocated after the last OutOfMemoryError
};

std::int64_t change(const snapshot::Entry& entry) {
  const auto size = static_cast<std::int64_t>(entry.size.count);
  if (entry.action == Action::segment_alloc || entry.action == Action::segment_map) return size;
  if (entry.action == Action::segment_free || entry.action == Action::segment_unmap) return -size;
  return 0;
}

/// Goes from the end, where the state is known, back to the beginning.
Reach reach_of(const snapshot::Snapshot& snapshot, std::size_t device) {
  std::int64_t reserved = 0;
  for (const auto& segment : snapshot.segments) {
    if (segment.device == static_cast<int>(device)) reserved += static_cast<std::int64_t>(segment.size.count);
  }
  Reach reach{.peak = reserved};
  bool allocated_after = false;
  const auto& entries = snapshot.device_traces[device];
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->action == Action::oom && !allocated_after) {
      reach.failed = true;
      reach.peak = std::max(reach.peak, reserved + static_cast<std::int64_t>(entry->size.count));
    }
    allocated_after |= entry->action == Action::alloc;
    reserved -= change(*entry);
    reach.peak = std::max(reach.peak, reserved);
  }
  return reach;
}

}  // namespace

Result<Imported> import_torch_snapshot(const snapshot::Snapshot& snapshot) {
  std::vector<Reach> reaches;
  for (std::size_t device = 0; device < snapshot.device_traces.size(); ++device) {
    if (!snapshot.device_traces[device].empty()) reaches.push_back(reach_of(snapshot, device));
  }
  if (reaches.empty()) {
    return Error{"the snapshot has no recorded events, so its peak is unknown",
                 "Call torch.cuda.memory._record_memory_history() before the training starts."};
  }
  const auto most = *std::ranges::max_element(reaches, {}, &Reach::peak);
  const Record record{.source = "torch-snapshot",
                      .kind = PeakKind::reserved,
                      .peak = Bytes{static_cast<std::uint64_t>(std::max<std::int64_t>(most.peak, 0))},
                      .outcome = most.failed ? Outcome::out_of_memory : Outcome::ok};
  return Imported{.records = {record}, .left_out = {}};
}

}  // namespace dryfit::history
