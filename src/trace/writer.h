// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "trace/events.h"
#include "trace/format.h"
#include "trace/growing_file.h"
#include "trace/name_table.h"

namespace dryfit::trace {

/// Counts something in place, in the record that introduced it. Lock-free, callable from any thread, valid for the life
/// of the process: also after the writer was closed or destroyed, and in a forked child (which discards the counts).
class CounterHandle {
 public:
  /// Discards its counts.
  CounterHandle() = default;

  void add(std::uint64_t count = 1) const noexcept { increase(*count_, count); }
  void add(std::uint64_t count, Bytes bytes) const noexcept {
    increase(*count_, count);
    increase(*bytes_, bytes.count);
  }

 private:
  friend class Writer;
  CounterHandle(std::uint64_t& count, std::uint64_t& bytes) : count_(&count), bytes_(&bytes) {}

  static void increase(std::uint64_t& cell, std::uint64_t amount) noexcept {
    std::atomic_ref(cell).fetch_add(amount, std::memory_order_relaxed);
  }

  alignas(8) static inline std::uint64_t nowhere_ = 0;
  std::uint64_t* count_ = &nowhere_;
  std::uint64_t* bytes_ = &nowhere_;
};

/// Writes the trace file of its process. Made for somebody else's process: nothing is thrown, printed
/// or aborted, no thread is started, no file descriptor is kept. What cannot be written is counted in the file's
/// header.
///
/// Thread-safe. Every method may be called at any time; while no file is open events are ignored.
///
/// The file holds all events up to one moment, without a gap: once a record had no room, all later ones are dropped
/// too.
///
/// The destructor does not close the file and need not run: the file then looks like that of a killed process. The
/// mapping stays, because of the handles.
class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// Creates the file (mode 0600) and begins a capture; its clock starts here. The file must not exist yet (EEXIST), so
  /// no capture is ever overwritten. On failure events are ignored and an unusable file may be left: an empty one shows
  /// the reader that there was no room. EALREADY while another file is open.
  std::error_code open(const char* path) noexcept;

  bool is_open() const noexcept;

  /// Marks the file as closed cleanly and releases its unused room. Later events are ignored; open() starts a new file.
  void close() noexcept;

  /// The id of a text, the same for the same text during the life of the process: whether a file is open or not, after
  /// close(), and in a forked child. Cut at kMaxTextBytes.
  NameId name(std::string_view text) noexcept;

  void device(const Device& event) noexcept;
  void allocate(const Allocate& event) noexcept;
  void release(const Release& event) noexcept;
  void allocate_failed(const AllocateFailed& event) noexcept;
  void module_loaded(const ModuleLoaded& event) noexcept;
  void phase(const Phase& event) noexcept;
  void step(const Step& event) noexcept;
  void note(const Note& event) noexcept;
  void value(const Value& event) noexcept;
  void out_of_memory(const OutOfMemory& event) noexcept;
  void assumed(const Assumed& event) noexcept;

  /// `event.launches` is the initial count; the handle adds to it.
  CounterHandle kernel_loaded(const KernelLoaded& event) noexcept;

  /// The counter of that name; it starts at zero when it is first requested in this file.
  CounterHandle counter(NameId name) noexcept;

  /// Call these around fork() (pthread_atfork). The child lets go of the file, which remains the parent's, without
  /// touching it: earlier handles discard their counts, and events are ignored until the child opens a file of its own.
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  void after_fork_in_child() noexcept;

 private:
  wire::Header& header() const noexcept;
  void begin_header() noexcept;
  void write_known_names() noexcept;
  void write_name(NameId id, std::string_view text) noexcept;
  void forget_file() noexcept;

  template <class Record>
  void append(const Record& record) noexcept;
  template <class Record>
  Record* append_locked(const Record& record, std::string_view tail = {}) noexcept;
  std::byte* room_for(std::size_t size) noexcept;
  void drop(Incomplete reason) noexcept;

  mutable std::mutex mutex_;
  GrowingFile file_;
  std::uint64_t committed_ = 0;
  std::uint64_t start_ = 0;
  Incomplete incomplete_ = Incomplete::no;
  NameTable names_;
  std::unordered_map<NameId, CounterHandle> counters_;
};

}  // namespace dryfit::trace
