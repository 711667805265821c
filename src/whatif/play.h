// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "simulator/caching_allocator.h"
#include "snapshot/snapshot.h"
#include "whatif/conditions.h"
#include "whatif/recording.h"

namespace dryfit::whatif {

/// A place in a recording.
struct Place {
  std::size_t entry = 0;  ///< index into the device's trace
  snapshot::StackId stack = snapshot::kNoStack;
};

/// A request that failed.
struct Refusal {
  Place at;
  Bytes requested;                ///< from the device: the segment that was needed, as in PyTorch's message
  Bytes device_free;              ///< free memory of the device
  Bytes reserved;                 ///< by PyTorch at that point
  std::optional<Bytes> limit;     ///< on what PyTorch may reserve, if that was the cause and not a full GPU
  bool met_in_recording = false;  ///< the recorded program got the memory
};

/// The result of replaying a recording under given conditions.
struct Outcome {
  Bytes peak_reserved;
  Bytes peak_allocated;
  // When peak_reserved was first reached:
  Place peak_at;
  Bytes allocated_at_peak;
  Bytes largest_free_at_peak;  ///< largest free block on the stream of the request that made the peak

  std::uint64_t alloc_retries = 0;
  /// The request that ended it: it succeeded in the recording and not here, or failed in both with no request after it.
  std::optional<Refusal> out_of_memory;
  std::uint64_t refused_in_both = 0;     ///< requests after which the recorded program continued
  std::optional<Refusal> met_here_only;  ///< the first that failed only in the recording: what would follow is unknown
  bool complete = false;                 ///< all of the recording was replayed
  std::uint64_t operations = 0;          ///< that were replayed
  /// Caps in the place of Conditions::cap with which the outcome would be the same, call by call.
  simulator::LimitRange caps_alike;

  Bytes fragmentation() const { return peak_reserved - allocated_at_peak; }
};

/// Observes what happens while a recording is replayed.
class Witness : public simulator::Observer {
 public:
  /// The operation that is replayed next.
  virtual void at(const Operation&) {}
  virtual void alloc(simulator::Address, Bytes /*requested*/, simulator::StreamId) {}
  virtual void free_requested(simulator::Address, Bytes /*requested*/, simulator::StreamId) {}
  /// The end, with the final state of the allocator.
  virtual void end(const simulator::CachingAllocator&) {}
};

/// Replays a recording. An Error when its start state is impossible for PyTorch's allocator. `witness` may be null.
Result<Outcome> play(const Recording& recording, const Conditions& conditions, Witness* witness = nullptr);

}  // namespace dryfit::whatif
