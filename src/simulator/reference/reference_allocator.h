// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "simulator/caching_allocator.h"
#include "simulator/rounding.h"

namespace dryfit::simulator {

/// A second implementation of the allocator, for tests only: slow, and written to be obviously right. Segments are
/// plain vectors of pieces, every search is exhaustive, and statistics are recomputed each time. It shares the
/// rounding, the config and the device with CachingAllocator, and nothing else.
class ReferenceAllocator {
 public:
  using Handle = std::uint64_t;  ///< of an allocation; never used twice

  struct Answer {
    Outcome outcome = Outcome::kNothing;
    Handle handle = 0;
    Address address = 0;
  };
  struct Sums {
    std::uint64_t allocated = 0, active = 0, requested = 0, reserved = 0, inactive_split = 0, segments = 0;
  };

  explicit ReferenceAllocator(CachingAllocator::Options options);

  Answer malloc(Bytes request, StreamId stream);
  void free(Handle handle);
  void record_stream(Handle handle, StreamId stream);
  void request_free(Handle handle);
  void complete_free(Handle handle);
  void hold(StreamId stream) { held_.insert(stream); }
  void done(StreamId stream);
  void empty_cache() { release_cached(); }
  void set_memory_fraction(double fraction);
  void begin_allocate_to_pool(MempoolId pool, std::optional<StreamId> stream, PoolOptions options);
  void end_allocate_to_pool(MempoolId pool);
  void release_pool(MempoolId pool) { --pools_.at(pool).users; }
  void begin_capture() { ++captures_; }
  void end_capture();

  Sums sums() const;
  std::vector<SegmentInfo> segments() const;  ///< without ids
  const Device& device() const { return device_; }
  std::uint64_t retries = 0;
  std::uint64_t ooms = 0;
  std::uint64_t rejections = 0;

 private:
  struct Piece {
    Handle handle = 0;  ///< of the piece, whether allocated or not
    Address address = 0;
    std::uint64_t size = 0;
    std::uint64_t requested = 0;
    bool allocated = false;
    bool mapped = true;
    bool requested_free = false;
    std::set<StreamId> uses = {};
    int events = 0;
    std::uint64_t counter = 0;
    std::uint64_t free_since = 0;

    bool is_idle() const { return !allocated && !requested_free && events == 0 && uses.empty(); }
  };
  struct Segment {
    MempoolId pool;
    bool small = false;
    StreamId stream;
    bool expandable = false;
    std::uint64_t granule = 0;
    std::uint64_t age = 0;
    std::vector<Piece> pieces = {};
  };
  struct Pool {
    PoolOptions options;
    std::uint64_t users = 0;
  };
  struct Place {
    std::size_t segment = 0;
    std::size_t piece = 0;
  };
  struct Event {
    StreamId stream;
    Handle piece = 0;
    bool complete = false;
  };
  struct Request {
    StreamId stream;
    std::uint64_t size = 0;
    MempoolId pool;
    bool small = false;
    bool expandable = false;
  };

  Piece& at(Place place) { return segments_[place.segment].pieces[place.piece]; }
  const Piece& at(Place place) const { return segments_[place.segment].pieces[place.piece]; }
  Place find(Handle handle) const;
  Request route(Bytes request, StreamId stream) const;
  bool may_expand(MempoolId pool) const;
  std::vector<Place> free_pieces(MempoolId pool, bool small, std::optional<StreamId> stream) const;
  bool comes_before(Place a, Place b) const;
  std::uint64_t expanded_size(Place place) const;
  std::optional<Place> search(const Request& request);
  std::optional<Place> search_mempools(Request request);
  std::optional<Place> obtain(const Request& request, bool retry);
  std::optional<Place> obtain_expandable(const Request& request);
  std::optional<Handle> expandable_start(const Request& request);
  bool map(Handle unmapped, std::uint64_t size);
  void unmap(Handle piece);
  std::uint64_t alloc_size_of(const Request& request) const;
  bool over_limit(const Request& request) const;
  bool release_available(const Request& request);
  void release_cached();
  void release_whole(Handle piece);
  void release_pieces(MempoolId pool, bool small);
  void collect_garbage();
  void process_events();
  void pass_event(Handle piece);
  void start_waiting(Handle piece);
  void become_free(Handle piece);
  void merge_around(Handle piece);
  bool splits(Place place, std::uint64_t size) const;
  void split(Place place, std::uint64_t size);
  std::uint64_t reserved() const { return sums().reserved; }
  bool is_gc_armed() const { return limit_ && config_.garbage_collection_threshold > 0; }
  std::uint64_t& searches(const Segment& segment) { return searches_[{segment.pool, segment.small}]; }

  TorchVersion version_;
  AllocConfig config_;
  SizeRounding round_;
  Device device_;
  std::vector<Segment> segments_;
  std::vector<Event> events_;
  std::set<StreamId> held_;
  std::vector<Handle> deferred_;
  std::map<MempoolId, Pool> pools_;
  std::vector<std::pair<MempoolId, std::optional<StreamId>>> routes_;
  std::map<std::pair<MempoolId, bool>, std::uint64_t> searches_;
  std::optional<std::uint64_t> limit_;
  double fraction_ = 1;
  int captures_ = 0;
  Handle next_handle_ = 1;
  std::uint64_t next_age_ = 1;
  std::uint64_t next_counter_ = 1;
};

}  // namespace dryfit::simulator
