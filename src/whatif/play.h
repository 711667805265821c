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

/// A request that could not be met.
struct Refusal {
  Place at;
  Bytes requested;             ///< of the device: the segment that was needed, as in PyTorch's message
  Bytes device_free;           ///< what the device had left
  Bytes reserved;              ///< by PyTorch then
  std::optional<Bytes> limit;  ///< of what PyTorch may reserve, where that is why, and not a full card
  bool met_in_recording = false;
};

/// How a recording went under some conditions.
struct Outcome {
  Bytes peak_reserved;
  Bytes peak_allocated;
  // When peak_reserved was first reached:
  Place peak_at;
  Bytes allocated_at_peak;
  Bytes largest_free_at_peak;  ///< largest free block on the stream of the request that made the peak

  std::uint64_t alloc_retries = 0;
  /// The request that ended it: met in the recording and not here, or refused in both with no request after it.
  std::optional<Refusal> out_of_memory;
  std::uint64_t refused_in_both = 0;     ///< and the recorded program went on
  std::optional<Refusal> met_here_only;  ///< the first that the recording could not meet: what would follow is unknown
  bool complete = false;                 ///< all of the recording was played

  Bytes fragmentation() const { return peak_reserved - allocated_at_peak; }
};

/// What happens while a recording is played, for who wants to write it down.
class Witness : public simulator::Observer {
 public:
  /// What is played next.
  virtual void at(const Operation&) {}
  virtual void alloc(simulator::Address, Bytes /*requested*/, simulator::StreamId) {}
  virtual void free_requested(simulator::Address, Bytes /*requested*/, simulator::StreamId) {}
  /// The end, with the allocator as it is then.
  virtual void end(const simulator::CachingAllocator&) {}
};

/// Plays a recording. An Error when its start state cannot be one of PyTorch's allocator. `witness` may be null.
Result<Outcome> play(const Recording& recording, const Conditions& conditions, Witness* witness = nullptr);

}  // namespace dryfit::whatif
