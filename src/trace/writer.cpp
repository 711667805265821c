// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/writer.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "trace/codec.h"

namespace dryfit::trace {
namespace {

std::uint64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

constexpr std::size_t round_to_record(std::size_t bytes) {
  return (bytes + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
}

}  // namespace

std::error_code Writer::open(const char* path) noexcept {
  const std::lock_guard lock(mutex_);
  if (file_.is_mapped()) return std::make_error_code(std::errc::connection_already_in_progress);
  if (const std::error_code error = file_.create(path, sizeof(wire::Header))) return error;
  begin_header();
  write_known_names();
  return {};
}

bool Writer::is_open() const noexcept {
  const std::lock_guard lock(mutex_);
  return file_.is_mapped();
}

void Writer::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (!file_.is_mapped()) return;
  header().state = wire::State::closed;
  file_.truncate(committed_);
  forget_file();
}

NameId Writer::name(std::string_view text) noexcept {
  text = text.substr(0, kMaxTextBytes);
  const std::lock_guard lock(mutex_);
  try {
    if (const auto known = names_.find(text)) return *known;
    const NameId id = names_.add(text);
    write_name(id, text);
    return id;
  } catch (const std::bad_alloc&) {
    drop(Incomplete::out_of_memory);
    return NameId{0};
  }
}

void Writer::device(const Device& event) noexcept { append(to_wire(event)); }
void Writer::allocate(const Allocate& event) noexcept { append(to_wire(event)); }
void Writer::release(const Release& event) noexcept { append(to_wire(event)); }
void Writer::allocate_failed(const AllocateFailed& event) noexcept { append(to_wire(event)); }
void Writer::module_loaded(const ModuleLoaded& event) noexcept { append(to_wire(event)); }
void Writer::phase(const Phase& event) noexcept { append(to_wire(event)); }
void Writer::step(const Step& event) noexcept { append(to_wire(event)); }
void Writer::note(const Note& event) noexcept { append(to_wire(event)); }
void Writer::value(const Value& event) noexcept { append(to_wire(event)); }
void Writer::out_of_memory(const OutOfMemory& event) noexcept { append(to_wire(event)); }
void Writer::assumed(const Assumed& event) noexcept { append(to_wire(event)); }

CounterHandle Writer::kernel_loaded(const KernelLoaded& event) noexcept {
  const std::lock_guard lock(mutex_);
  wire::KernelLoaded* const record = append_locked(to_wire(event));
  if (record == nullptr) return {};
  return {record->launches, CounterHandle::nowhere_};
}

CounterHandle Writer::counter(NameId name) noexcept {
  const std::lock_guard lock(mutex_);
  if (const auto known = counters_.find(name); known != counters_.end()) return known->second;
  wire::Counter* const record = append_locked(wire::Counter{.name = number(name)});
  if (record == nullptr) return {};
  const CounterHandle handle(record->count, record->bytes);
  try {
    counters_.emplace(name, handle);
  } catch (const std::bad_alloc&) {
    return handle;  // Requested again, the name gets a second record: readers add them up.
  }
  return handle;
}

void Writer::before_fork() noexcept { mutex_.lock(); }
void Writer::after_fork_in_parent() noexcept { mutex_.unlock(); }
void Writer::after_fork_in_child() noexcept {
  forget_file();
  mutex_.unlock();
}

wire::Header& Writer::header() const noexcept { return *reinterpret_cast<wire::Header*>(file_.data()); }

void Writer::begin_header() noexcept {
  start_ = now(CLOCK_MONOTONIC);
  committed_ = sizeof(wire::Header);
  incomplete_ = Incomplete::no;
  header() = wire::Header{.version = kFormatVersion,
                          .header_size = sizeof(wire::Header),
                          .committed = committed_,
                          .pid = static_cast<std::uint32_t>(getpid()),
                          .ppid = static_cast<std::uint32_t>(getppid()),
                          .start_realtime = now(CLOCK_REALTIME),
                          .start_monotonic = start_};
  std::atomic_ref(header().magic).store(kMagic, std::memory_order_release);
}

void Writer::write_known_names() noexcept {
  std::uint32_t id = 0;
  for (const std::string& text : names_.texts()) write_name(NameId{++id}, text);
}

void Writer::write_name(NameId id, std::string_view text) noexcept {
  append_locked(wire::Name{number(id), static_cast<std::uint32_t>(text.size())}, text);
}

void Writer::forget_file() noexcept {
  file_.detach(committed_);
  counters_.clear();
}

template <class Record>
void Writer::append(const Record& record) noexcept {
  const std::lock_guard lock(mutex_);
  append_locked(record);
}

template <class Record>
Record* Writer::append_locked(const Record& record, std::string_view tail) noexcept {
  const std::size_t size = round_to_record(sizeof(wire::RecordHead) + sizeof(Record) + tail.size());
  std::byte* const place = room_for(size);
  if (place == nullptr) return nullptr;
  const wire::RecordHead head{Record::kKind, 0, static_cast<std::uint32_t>(size), now(CLOCK_MONOTONIC) - start_};
  std::byte* const payload = place + sizeof head;
  std::memcpy(place, &head, sizeof head);
  std::memcpy(payload, &record, sizeof record);
  if (!tail.empty()) std::memcpy(payload + sizeof record, tail.data(), tail.size());
  committed_ += size;
  std::atomic_ref(header().committed).store(committed_, std::memory_order_release);
  return reinterpret_cast<Record*>(payload);
}

std::byte* Writer::room_for(std::size_t size) noexcept {
  if (!file_.is_mapped()) return nullptr;
  const Incomplete reason = incomplete_ != Incomplete::no ? incomplete_ : file_.make_room(committed_ + size);
  if (reason == Incomplete::no) return file_.data() + committed_;
  drop(reason);
  return nullptr;
}

void Writer::drop(Incomplete reason) noexcept {
  if (!file_.is_mapped()) return;
  incomplete_ = reason;
  header().incomplete = reason;
  std::atomic_ref(header().dropped).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace dryfit::trace
