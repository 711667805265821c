// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "snapshot/snapshot.h"
#include "whatif/play.h"

namespace dryfit::whatif {

/// Builds the memory snapshot that PyTorch would have taken at the end of a replay: its segments and entries, with the
/// stacks and times of the recording. Pass it to play(), then call snapshot().
class Prediction : public Witness {
 public:
  /// `alloc_conf` and `torch` are the conditions of the replay. The recording must outlive this object.
  Prediction(const Recording& recording, std::string alloc_conf, simulator::TorchVersion torch);

  void at(const Operation& operation) override { operation_ = operation; }
  void alloc(simulator::Address address, Bytes requested, simulator::StreamId stream) override;
  void free_requested(simulator::Address address, Bytes requested, simulator::StreamId stream) override;
  void free_completed(simulator::Address address, Bytes requested, simulator::StreamId stream) override;
  void segment_alloc(simulator::Address address, Bytes size, simulator::StreamId stream) override;
  void segment_free(simulator::Address address, Bytes size, simulator::StreamId stream) override;
  void segment_map(simulator::Address address, Bytes size, simulator::StreamId stream) override;
  void segment_unmap(simulator::Address address, Bytes size, simulator::StreamId stream) override;
  void out_of_memory(Bytes size, Bytes device_free, simulator::StreamId stream) override;
  void end(const simulator::CachingAllocator& allocator) override;

  const snapshot::Snapshot& snapshot() const { return snapshot_; }

 private:
  struct Range {
    Bytes size;
    simulator::MempoolId pool;
  };

  void add(snapshot::Action action, simulator::Address address, Bytes size, simulator::StreamId stream,
           simulator::MempoolId pool);
  /// A segment, or a part of one, for the pool of the current request.
  void obtain(snapshot::Action action, simulator::Address address, Bytes size, simulator::StreamId stream);
  simulator::MempoolId pool_at(simulator::Address address) const;

  const Recording& recording_;
  bool says_pools_;  ///< whether entries name their pool
  snapshot::Snapshot snapshot_;
  Operation operation_;
  std::map<simulator::Address, Range> ranges_;                        ///< of segments, as obtained
  std::unordered_map<simulator::Address, snapshot::StackId> stacks_;  ///< of live blocks
};

}  // namespace dryfit::whatif
