// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "simulator/block.h"

namespace dryfit::simulator {

/// The events that pending frees wait for: one queue per stream, checked from its front as in PyTorch. An event is
/// complete at once unless its stream is held.
class PendingEvents {
 public:
  bool empty() const { return waiting_ == 0; }

  void record(StreamId stream, BlockIndex block);
  void hold(StreamId stream) { queue_of(stream).held = true; }
  /// Everything recorded on the stream so far is complete, and it is no longer held.
  void done(StreamId stream);

  /// Removes completed events from each queue, up to the first incomplete one, and calls back with the block of each.
  template <class OnEvent>
  void take_completed(OnEvent on_event) {
    for (Queue& queue : queues_) {
      while (!queue.events.empty() && queue.events.front().complete) on_event(take_front(queue));
    }
  }
  /// Waits for all events, and calls back with the block of each.
  template <class OnEvent>
  void take_all(OnEvent on_event) {
    for (Queue& queue : queues_) {
      while (!queue.events.empty()) on_event(take_front(queue));
    }
  }

 private:
  struct Event {
    BlockIndex block;
    bool complete;
  };
  struct Queue {
    StreamId stream;
    bool held = false;
    std::deque<Event> events = {};
  };

  Queue& queue_of(StreamId stream);
  BlockIndex take_front(Queue& queue);

  std::vector<Queue> queues_;  ///< by stream
  std::uint64_t waiting_ = 0;
};

}  // namespace dryfit::simulator
