// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/play.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/rounding.h"
#include "whatif/addresses.h"

namespace dryfit::whatif {
namespace {

using simulator::BlockId;
using Kind = Operation::Kind;

/// Hands everything on, and remembers what the device had left for a request that was refused.
class Relay : public simulator::Observer {
 public:
  explicit Relay(Witness* witness) : witness_(witness) {}

  void segment_alloc(simulator::Address address, Bytes size, simulator::StreamId stream) override {
    if (witness_) witness_->segment_alloc(address, size, stream);
  }
  void segment_free(simulator::Address address, Bytes size, simulator::StreamId stream) override {
    if (witness_) witness_->segment_free(address, size, stream);
  }
  void segment_map(simulator::Address address, Bytes size, simulator::StreamId stream) override {
    if (witness_) witness_->segment_map(address, size, stream);
  }
  void segment_unmap(simulator::Address address, Bytes size, simulator::StreamId stream) override {
    if (witness_) witness_->segment_unmap(address, size, stream);
  }
  void free_completed(simulator::Address address, Bytes requested, simulator::StreamId stream) override {
    if (witness_) witness_->free_completed(address, requested, stream);
  }
  void out_of_memory(Bytes size, Bytes device_free, simulator::StreamId stream) override {
    left = device_free;
    if (witness_) witness_->out_of_memory(size, device_free, stream);
  }

  Bytes left;

 private:
  Witness* witness_;
};

class Player {
 public:
  Player(const Recording& recording, const Conditions& conditions, Witness* witness)
      : recording_(recording),
        witness_(witness),
        relay_(witness),
        allocator_({.version = conditions.torch,
                    .config = conditions.config,
                    .device = {.total = conditions.total, .context = std::min(conditions.outside, conditions.total)},
                    .addresses = addresses_for(recording, conditions),
                    .observer = &relay_}),
        rounding_(conditions.config, conditions.torch),
        large_segment_size_(conditions.config.large_segment_size),
        blocks_(recording.slots, simulator::kNoBlock) {
    if (conditions.fraction) allocator_.set_memory_fraction(*conditions.fraction);
    if (conditions.cap) allocator_.set_memory_limit(*conditions.cap);
  }

  Result<Outcome> play() {
    if (const auto status = begin(); !status) return status.error();
    for (const auto& operation : recording_.operations) {
      if (witness_) witness_->at(operation);
      perform(operation);
      ++outcome_.operations;
      if (outcome_.out_of_memory) break;
    }
    outcome_.complete = !outcome_.out_of_memory;
    const auto& statistics = allocator_.statistics();
    outcome_.peak_reserved = Bytes{statistics.all.reserved_bytes.peak()};
    outcome_.peak_allocated = Bytes{statistics.all.allocated_bytes.peak()};
    outcome_.alloc_retries = statistics.num_alloc_retries;
    outcome_.caps_alike = allocator_.limits_alike();
    if (witness_) witness_->end(allocator_);
    return outcome_;
  }

 private:
  Status begin() {
    if (!recording_.start.empty()) {
      if (auto status = allocator_.load(recording_.start); !status) return status;
      take_start_blocks();
    }
    note_peak({});
    return {};
  }

  void take_start_blocks() {
    std::unordered_map<simulator::Address, Slot> slots;
    for (const auto& block : recording_.start_blocks) slots[block.address] = block.slot;
    for (const auto& segment : allocator_.segments()) {
      for (const auto& block : segment.blocks) {
        if (block.state == simulator::BlockState::kInactive) continue;
        const auto slot = slots.at(block.address);
        if (block.state == simulator::BlockState::kPendingFree) {
          waiting_[slot] = block.id;
        } else {
          blocks_[slot] = block.id;
        }
      }
    }
  }

  void perform(const Operation& operation) {
    switch (operation.kind) {
      case Kind::malloc:
        return malloc(operation);
      case Kind::refused_malloc:
        return refused_malloc(operation);
      case Kind::free:
        return free(operation);
      case Kind::request_free:
        return request_free(operation);
      case Kind::complete_free:
        return complete_free(operation);
      case Kind::empty_cache:
        return allocator_.empty_cache();
    }
  }

  simulator::Allocation ask(const Operation& operation) {
    const bool is_private = !operation.pool.is_default();
    if (is_private) allocator_.begin_allocate_to_pool(operation.pool, operation.stream);
    const auto allocation = allocator_.malloc(operation.size, operation.stream);
    if (is_private) allocator_.end_allocate_to_pool(operation.pool);
    return allocation;
  }

  void malloc(const Operation& operation) {
    const auto allocation = ask(operation);
    if (!allocation && allocation.outcome != simulator::Outcome::kNothing) {
      if (!operation.is_optional) outcome_.out_of_memory = refusal(operation, allocation.outcome);
      return;
    }
    blocks_[operation.slot] = allocation.block;
    if (witness_ && allocation) witness_->alloc(allocation.address, operation.size, operation.stream);
    note_peak(place(operation));
  }

  /// What the recorded program could not get either. The last such request is the end of both, unless the program went
  /// on to ask for more.
  void refused_malloc(const Operation& operation) {
    const auto allocation = ask(operation);
    if (allocation) {
      note_peak(place(operation));
      allocator_.free(allocation.block);
      if (!outcome_.met_here_only) outcome_.met_here_only = refusal(operation, allocation.outcome);
      return;
    }
    if (asks_later(operation)) {
      ++outcome_.refused_in_both;
    } else {
      outcome_.out_of_memory = refusal(operation, allocation.outcome);
    }
  }

  bool asks_later(const Operation& operation) const {
    const auto begin = recording_.operations.data() + (&operation - recording_.operations.data()) + 1;
    const auto end = recording_.operations.data() + recording_.operations.size();
    return std::any_of(begin, end, [](const Operation& later) { return later.kind == Kind::malloc; });
  }

  void free(const Operation& operation) {
    const auto block = std::exchange(blocks_[operation.slot], simulator::kNoBlock);
    if (block == simulator::kNoBlock) return;
    if (!witness_) return allocator_.free(block);
    const auto info = allocator_.block(block);
    witness_->free_requested(info.address, info.requested, operation.stream);
    allocator_.free(block);
    witness_->free_completed(info.address, info.requested, operation.stream);
  }

  void request_free(const Operation& operation) {
    const auto block = std::exchange(blocks_[operation.slot], simulator::kNoBlock);
    if (block == simulator::kNoBlock) return;
    const auto info = allocator_.block(block);
    if (witness_) witness_->free_requested(info.address, info.requested, operation.stream);
    allocator_.request_free(block);
    waiting_[operation.slot] = block;
  }

  /// A synchronisation that the recording did not have may have completed it before; the allocator knows.
  void complete_free(const Operation& operation) {
    const auto found = waiting_.find(operation.slot);
    if (found == waiting_.end()) return;
    allocator_.complete_free(found->second);
    waiting_.erase(found);
  }

  void note_peak(Place at) {
    const auto& all = allocator_.statistics().all;
    if (all.reserved_bytes.current() <= outcome_.peak_reserved.count) return;
    outcome_.peak_reserved = Bytes{all.reserved_bytes.current()};
    outcome_.allocated_at_peak = Bytes{all.allocated_bytes.current()};
    outcome_.peak_at = at;
    const simulator::StreamId stream{at.entry < recording_.entries().size() ? recording_.entries()[at.entry].stream
                                                                            : 0};
    outcome_.largest_free_at_peak = allocator_.largest_free_block(stream);
  }

  Place place(const Operation& operation) const {
    const auto& entries = recording_.entries();
    return {operation.entry, operation.entry < entries.size() ? entries[operation.entry].stack : snapshot::kNoStack};
  }

  Refusal refusal(const Operation& operation, simulator::Outcome outcome) const {
    const Bytes segment = simulator::get_allocation_size(rounding_(operation.size), large_segment_size_);
    const Bytes reserved{allocator_.statistics().all.reserved_bytes.current()};
    Refusal result{.at = place(operation),
                   .requested = segment,
                   .device_free = relay_.left,
                   .reserved = reserved,
                   .met_in_recording = operation.kind == Kind::malloc};
    const auto limit = allocator_.memory_limit();
    if (limit && reserved + segment > *limit) result.limit = limit;
    if (outcome == simulator::Outcome::kRejected) result.limit = limit.value_or(allocator_.device().total());
    return result;
  }

  const Recording& recording_;
  Witness* witness_;
  Relay relay_;
  simulator::CachingAllocator allocator_;
  simulator::SizeRounding rounding_;
  Bytes large_segment_size_;
  std::vector<BlockId> blocks_;                ///< by slot
  std::unordered_map<Slot, BlockId> waiting_;  ///< frees that the recording requested and has not completed yet
  Outcome outcome_;
};

}  // namespace

Result<Outcome> play(const Recording& recording, const Conditions& conditions, Witness* witness) {
  return Player(recording, conditions, witness).play();
}

}  // namespace dryfit::whatif
