// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "trace/codec.h"

namespace dryfit::trace {
namespace {

constexpr std::size_t kLargestHeader = 64 * 1024;
constexpr std::uint32_t kPurposes = number(Purpose::code) + 1;

template <class T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class Wire>
bool is_valid(const Wire& wire) {
  if constexpr (requires { wire.purpose; }) return wire.purpose < kPurposes;
  return true;
}

Error no_header(const std::string& path, std::uint64_t size) {
  if (size == 0) {
    return {"'" + path + "' is empty: the process couldn't write its trace, or was killed as it started",
            "Check whether the disk is full, then run again."};
  }
  return {"'" + path + "' is too short for a trace: " + std::to_string(size) + " bytes; the header alone has 128",
          "The file was cut off; run again."};
}

Status check_header(const std::string& path, const wire::Header& header) {
  if (header.magic == 0) {
    return Error{"'" + path + "' has no header yet: the process was killed as it started its trace", "Run again."};
  }
  if (header.magic != kMagic)
    return Error{"'" + path + "' is not a Dryfit trace", "Give a file that `dryfit run` wrote."};
  if (header.version > kFormatVersion) {
    return Error{"'" + path + "' is a trace of format version " + std::to_string(header.version) +
                     "; this Dryfit reads up to version " + std::to_string(kFormatVersion),
                 "Read it with the Dryfit version that wrote it, or a newer one."};
  }
  const bool sound = header.version > 0 && header.header_size >= sizeof header &&
                     header.header_size <= kLargestHeader && header.header_size % kRecordAlignment == 0 &&
                     header.committed >= header.header_size;
  if (!sound) return Error{"the header of '" + path + "' is damaged", "Run again."};
  return {};
}

bool is_sound(const wire::RecordHead& head) {
  return head.kind != wire::Kind{0} && head.size >= sizeof head && head.size % kRecordAlignment == 0 &&
         head.size <= kMaxRecordBytes;
}

std::string describe(const wire::RecordHead& head) {
  return "kind " + std::to_string(number(head.kind)) + " with a size of " + std::to_string(head.size) + " bytes";
}

}  // namespace

Result<Reader> Reader::open(const std::string& path) {
  auto file = FileWindow::open(path);
  if (!file) return file.error();
  Reader reader(std::move(file).value());
  if (const Status status = reader.read_header(path); !status) return status.error();
  return reader;
}

Status Reader::read_header(const std::string& path) {
  const auto bytes = file_.at(0, sizeof(wire::Header), 0);
  if (bytes.empty()) return no_header(path, file_.size());
  const auto header = load<wire::Header>(bytes);
  if (Status status = check_header(path, header); !status) return status;
  offset_ = header.header_size;
  refresh();
  return {};
}

void Reader::refresh() {
  file_.forget();
  const auto bytes = file_.at(0, sizeof(wire::Header), 0);
  if (bytes.empty()) return;
  const auto header = load<wire::Header>(bytes);
  capture_ = {.version = header.version,
              .pid = static_cast<pid_t>(header.pid),
              .parent = static_cast<pid_t>(header.ppid),
              .start_realtime = header.start_realtime,
              .start_monotonic = header.start_monotonic,
              .committed = {header.committed},
              .closed_cleanly = header.state == wire::State::closed,
              .incomplete = header.incomplete,
              .dropped = header.dropped};
  end_ = std::min(header.committed, file_.size());
}

std::optional<Event> Reader::next() {
  while (const auto head = next_head()) {
    const auto record = file_.at(offset_, head->size, end_);
    if (record.empty()) return found_damage("the file became shorter while it was read");
    if (const Decode decoder = decoder_of(head->kind)) {
      auto payload = (this->*decoder)(record.subspan(sizeof *head));
      if (!payload) return std::nullopt;
      offset_ += head->size;
      return Event{head->time, *std::move(payload)};
    }
    ++unknown_records_;
    offset_ += head->size;
  }
  return std::nullopt;
}

std::optional<wire::RecordHead> Reader::next_head() {
  if (!damage_.empty()) return std::nullopt;
  if (offset_ == end_ && capture_.committed.count <= end_) return std::nullopt;
  if (offset_ > end_ || end_ - offset_ < sizeof(wire::RecordHead))
    return found_damage("cut off by the end of the file");
  const auto bytes = file_.at(offset_, sizeof(wire::RecordHead), end_);
  if (bytes.empty()) return found_damage("the file became shorter while it was read");
  const auto head = load<wire::RecordHead>(bytes);
  if (!is_sound(head)) return found_damage(describe(head) + " is not a record");
  if (head.size > end_ - offset_) return found_damage("cut off by the end of the file");
  return head;
}

Reader::Decode Reader::decoder_of(wire::Kind kind) {
  static constexpr Decode kDecoders[] = {
      nullptr,
      &Reader::decode_name,
      &Reader::decode<wire::Device>,
      &Reader::decode<wire::Allocate>,
      &Reader::decode<wire::Release>,
      &Reader::decode<wire::AllocateFailed>,
      &Reader::decode<wire::ModuleLoaded>,
      &Reader::decode<wire::KernelLoaded>,
      &Reader::decode<wire::Counter>,
      &Reader::decode<wire::Phase>,
      &Reader::decode<wire::Step>,
      &Reader::decode<wire::Note>,
      &Reader::decode<wire::Value>,
      &Reader::decode<wire::OutOfMemory>,
      &Reader::decode<wire::Assumed>,
  };
  static_assert(std::size(kDecoders) == std::variant_size_v<Payload> + 1);
  const std::uint32_t index = number(kind);
  return index < std::size(kDecoders) ? kDecoders[index] : nullptr;
}

template <class Wire>
std::optional<Payload> Reader::decode(std::span<const std::byte> payload) {
  if (payload.size() < sizeof(Wire)) return found_damage("too short for its kind");
  const auto wire = load<Wire>(payload);
  if (!is_valid(wire)) return found_damage("unknown purpose");
  auto event = from_wire(wire);
  if (!knows_names_of(event)) return found_damage("refers to a name that is not defined yet");
  return event;
}

std::optional<Payload> Reader::decode_name(std::span<const std::byte> payload) {
  if (payload.size() < sizeof(wire::Name)) return found_damage("too short for its kind");
  const auto wire = load<wire::Name>(payload);
  const auto text = payload.subspan(sizeof wire);
  if (wire.length > text.size()) return found_damage("too short for its text");
  if (wire.id != names_.size() + 1) return found_damage("defines a name out of order");
  return Name{NameId{wire.id}, names_.emplace_back(reinterpret_cast<const char*>(text.data()), wire.length)};
}

bool Reader::knows(NameId id) const { return number(id) <= names_.size(); }

template <class E>
bool Reader::knows_names_of(const E& event) const {
  if constexpr (std::is_same_v<E, Note>) return knows(event.key) && knows(event.value);
  if constexpr (std::is_same_v<E, Assumed>) return knows(event.what) && knows(event.where);
  if constexpr (requires { event.key; }) return knows(event.key);
  if constexpr (requires { event.card; }) return knows(event.card);
  if constexpr (requires { event.library; }) return knows(event.library);
  if constexpr (requires { event.name; }) return knows(event.name);
  return true;
}

std::string_view Reader::text(NameId id) const {
  return id == NameId{0} || !knows(id) ? std::string_view() : names_[number(id) - 1];
}

Diagnostics Reader::diagnostics() const {
  Diagnostics found;
  found.add("trace.unknown_record", unknown_records_);
  found.add("trace.dropped_record", capture_.dropped);
  found.add("trace.damaged", damage_.empty() ? 0 : 1);
  return found;
}

std::nullopt_t Reader::found_damage(const std::string& what) {
  damage_ = "record at byte " + std::to_string(offset_) + ": " + what;
  return std::nullopt;
}

}  // namespace dryfit::trace
