// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/prediction.h"

#include <iterator>
#include <string_view>
#include <utility>

namespace dryfit::whatif {
namespace {

using snapshot::Action;

snapshot::BlockState state_of(simulator::BlockState state) {
  switch (state) {
    case simulator::BlockState::kAllocated:
      return snapshot::BlockState::active_allocated;
    case simulator::BlockState::kPendingFree:
      return snapshot::BlockState::active_pending_free;
    case simulator::BlockState::kInactive:
      break;
  }
  return snapshot::BlockState::inactive;
}

}  // namespace

Prediction::Prediction(const Recording& recording, std::string alloc_conf, simulator::TorchVersion torch)
    : recording_(recording), says_pools_(torch.entries_say_pools()) {
  snapshot_.frames = recording.snapshot->frames;
  snapshot_.stacks = recording.snapshot->stacks;
  snapshot_.settings.alloc_conf = std::move(alloc_conf);
  snapshot_.device_traces.resize(static_cast<std::size_t>(recording.device) + 1);
  for (const auto& segment : recording.start) ranges_[segment.address] = {segment.size, segment.pool};
  for (const auto& segment : recording.snapshot->segments) {
    for (const auto& block : segment.blocks) {
      const bool is_live = block.state != snapshot::BlockState::inactive;
      if (is_live && segment.device == recording.device) stacks_[block.address] = block.stack;
    }
  }
}

void Prediction::add(Action action, simulator::Address address, Bytes size, simulator::StreamId stream,
                     simulator::MempoolId pool) {
  const auto& cause = recording_.entries()[operation_.entry];
  snapshot_.device_traces.back().push_back({.action = action,
                                            .stack = cause.stack,
                                            .address = address,
                                            .size = size,
                                            .stream = stream.handle,
                                            .time_us = cause.time_us});
  if (says_pools_) snapshot_.device_traces.back().back().pool = snapshot::PoolId{pool.first, pool.second};
}

void Prediction::obtain(Action action, simulator::Address address, Bytes size, simulator::StreamId stream) {
  add(action, address, size, stream, operation_.pool);
  ranges_[address] = {size, operation_.pool};
}

simulator::MempoolId Prediction::pool_at(simulator::Address address) const {
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return {};
  const auto& [begin, range] = *std::prev(next);
  return address - begin < range.size.count ? range.pool : simulator::MempoolId{};
}

void Prediction::alloc(simulator::Address address, Bytes requested, simulator::StreamId stream) {
  add(Action::alloc, address, requested, stream, operation_.pool);
  stacks_[address] = recording_.entries()[operation_.entry].stack;
}

void Prediction::free_requested(simulator::Address address, Bytes requested, simulator::StreamId stream) {
  add(Action::free_requested, address, requested, stream, pool_at(address));
}

void Prediction::free_completed(simulator::Address address, Bytes requested, simulator::StreamId stream) {
  add(Action::free_completed, address, requested, stream, pool_at(address));
  stacks_.erase(address);
}

void Prediction::segment_alloc(simulator::Address address, Bytes size, simulator::StreamId stream) {
  obtain(Action::segment_alloc, address, size, stream);
}

void Prediction::segment_free(simulator::Address address, Bytes size, simulator::StreamId stream) {
  add(Action::segment_free, address, size, stream, pool_at(address));
  ranges_.erase(address);
}

void Prediction::segment_map(simulator::Address address, Bytes size, simulator::StreamId stream) {
  obtain(Action::segment_map, address, size, stream);
}

/// What is mapped there again belongs to the same segment, or is noted anew.
void Prediction::segment_unmap(simulator::Address address, Bytes size, simulator::StreamId stream) {
  add(Action::segment_unmap, address, size, stream, pool_at(address));
}

void Prediction::out_of_memory(Bytes size, Bytes device_free, simulator::StreamId stream) {
  add(Action::oom, device_free.count, size, stream, operation_.pool);
}

void Prediction::end(const simulator::CachingAllocator& allocator) {
  for (const auto& from : allocator.segments()) {
    snapshot::Segment segment{.device = recording_.device,
                              .address = from.address,
                              .size = from.size,
                              .stream = from.stream.handle,
                              .is_small = from.is_small,
                              .is_expandable = from.is_expandable,
                              .pool = {from.pool.first, from.pool.second}};
    for (const auto& block : from.blocks) {
      const auto stack = stacks_.find(block.address);
      segment.blocks.push_back({.address = block.address,
                                .size = block.size,
                                .requested = block.requested,
                                .state = state_of(block.state),
                                .stack = stack == stacks_.end() ? snapshot::kNoStack : stack->second});
    }
    snapshot_.segments.push_back(std::move(segment));
  }
}

}  // namespace dryfit::whatif
