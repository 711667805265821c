// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/pending_events.h"

#include <algorithm>

namespace dryfit::simulator {

PendingEvents::Queue& PendingEvents::queue_of(StreamId stream) {
  const auto place = std::lower_bound(queues_.begin(), queues_.end(), stream,
                                      [](const Queue& queue, StreamId wanted) { return queue.stream < wanted; });
  if (place != queues_.end() && place->stream == stream) return *place;
  return *queues_.insert(place, Queue{stream});
}

BlockIndex PendingEvents::take_front(Queue& queue) {
  const BlockIndex block = queue.events.front().block;
  queue.events.pop_front();
  --waiting_;
  return block;
}

void PendingEvents::record(StreamId stream, BlockIndex block) {
  Queue& queue = queue_of(stream);
  queue.events.push_back({block, !queue.held});
  ++waiting_;
}

void PendingEvents::done(StreamId stream) {
  Queue& queue = queue_of(stream);
  queue.held = false;
  for (Event& event : queue.events) event.complete = true;
}

}  // namespace dryfit::simulator
