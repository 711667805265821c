// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "simulator/alloc_config.h"
#include "simulator/device.h"
#include "simulator/layout.h"
#include "simulator/statistics.h"
#include "simulator/torch_version.h"

namespace dryfit::simulator {

/// Is notified of what happens between the allocator and its device, like PyTorch's memory history. Called at once:
/// segment_alloc comes before the malloc() that caused it returns.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void segment_alloc(Address, Bytes, StreamId) {}
  virtual void segment_free(Address, Bytes, StreamId) {}
  virtual void segment_map(Address, Bytes, StreamId) {}
  virtual void segment_unmap(Address, Bytes, StreamId) {}
  /// A free that had to wait for other streams has completed.
  virtual void free_completed(Address, Bytes /*requested*/, StreamId) {}
  /// No memory for a request of this rounded size; device_free is the memory left on the device.
  virtual void out_of_memory(Bytes /*size*/, Bytes /*device_free*/, StreamId) {}
};

enum class Outcome {
  kServed,
  kNothing,  ///< 0 bytes: a null pointer, and nothing is recorded
  kOutOfMemory,
  kRejected,  ///< throw_on_cudamalloc_oom: refused without trying to free anything
};

struct Allocation {
  BlockId block = kNoBlock;  ///< set if served
  Outcome outcome = Outcome::kNothing;
  Address address = 0;

  explicit operator bool() const { return outcome == Outcome::kServed; }
};

/// Limits on what an allocator may reserve, from `from` up to, but not including, `below`.
struct LimitRange {
  Bytes from{};
  Bytes below = kUnlimited;

  bool contains(Bytes limit) const { return from <= limit && limit < below; }
  friend bool operator==(const LimitRange&, const LimitRange&) = default;
};

/// How a private pool was made; this decides whether its segments may expand.
enum class PoolKind { kGraph, kMempool, kMempoolWithAllocator };

struct PoolOptions {
  PoolKind kind = PoolKind::kGraph;
  bool no_split = false;
  bool use_on_oom = false;
};

/// PyTorch's CUDA caching allocator for one device (torch `DeviceCachingAllocator`), as a pure function: the same calls
/// give the same addresses and the same statistics as the real allocator on a device with these properties. Not
/// thread-safe. Ids must belong to live allocations of this allocator; anything else is a bug in the caller.
///
///   CachingAllocator allocator({.version = {2, 6, 0}, .config = *parse_alloc_config("", {2, 6, 0}),
///                               .device = {.total = 12_GiB}});
///   auto weights = allocator.malloc(100_MiB, StreamId{});
///   allocator.free(weights.block);
class CachingAllocator {
 public:
  struct Options {
    TorchVersion version = TorchVersion::newest();
    AllocConfig config = {};
    Device::Options device = {};
    std::unique_ptr<AddressPolicy> addresses = nullptr;  ///< none: ascending from 0
    Observer* observer = nullptr;                        ///< not owned
  };

  explicit CachingAllocator(Options options);
  CachingAllocator(CachingAllocator&&) noexcept;
  CachingAllocator& operator=(CachingAllocator&&) noexcept;
  ~CachingAllocator();

  Allocation malloc(Bytes request, StreamId stream = {});
  /// If the block was used on other streams, it becomes reusable when these have reached this point (see hold()).
  void free(BlockId block);
  /// The block is now used on that stream too.
  void record_stream(BlockId block, StreamId stream);

  /// A free in two parts, for recordings that contain both moments, whatever streams were recorded. In between the
  /// block is active and not reusable. The second is harmless if the free was completed early, by a synchronisation
  /// that the recording did not have.
  void request_free(BlockId block);
  void complete_free(BlockId block);

  /// From now on, work recorded on the stream stays pending until done() or a synchronisation. Streams that were never
  /// held complete their work at once.
  void hold(StreamId stream);
  void done(StreamId stream);

  void empty_cache();
  /// torch.cuda.set_per_process_memory_fraction
  void set_memory_fraction(double fraction);
  /// The same in bytes.
  void set_memory_limit(Bytes limit);
  /// The most it may reserve because of a fraction; none: only the device is a limit.
  std::optional<Bytes> memory_limit() const;
  /// The limits under which the calls so far would have had the same results. Holds if one limit was set before the
  /// first call and never changed.
  LimitRange limits_alike() const;

  /// Allocations on the stream (on any, if none is given) go to the private pool, made on first use, until
  /// the matching end. Scopes nest: the last one begun that matches wins.
  void begin_allocate_to_pool(MempoolId pool, std::optional<StreamId> stream = {}, PoolOptions options = {});
  void end_allocate_to_pool(MempoolId pool);
  /// One user of the pool is gone; after the last, its cached memory may be returned to the device.
  void release_pool(MempoolId pool);
  /// While a graph is being captured, events are not checked and the cache is not released when memory runs out.
  void begin_capture();
  void end_capture();

  const Statistics& statistics() const;
  void reset_peak_statistics();
  const Device& device() const;

  /// Puts an unused allocator into the middle of a run: these segments exist, these blocks in them are allocated or
  /// pending, and everything else in them is free. Segments count as made in the given order. Ranges of one stream and
  /// pool that are expandable and lie within one reservation belong to one segment.
  Status load(std::span<const SegmentInfo> segments);
  /// All segments, sorted by address.
  std::vector<SegmentInfo> segments() const;
  BlockInfo block(BlockId block) const;
  /// The largest block from which a malloc() on that stream could be served without calling the device.
  Bytes largest_free_block(StreamId stream = {}) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dryfit::simulator
