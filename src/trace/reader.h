// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/events.h"
#include "trace/file_window.h"
#include "trace/format.h"

namespace dryfit::trace {

/// What the header of a trace file says about the capture.
struct Capture {
  std::uint32_t version;
  pid_t pid;
  pid_t parent;
  std::uint64_t start_realtime;   ///< nanoseconds since 1970 (UTC)
  std::uint64_t start_monotonic;  ///< nanoseconds of CLOCK_MONOTONIC: puts several processes on one time axis
  Bytes committed;                ///< header and whole records
  bool closed_cleanly;            ///< false: the process is still running, or was killed
  Incomplete incomplete;          ///< why the last records are missing, if any are
  std::uint64_t dropped;          ///< how many are missing
};

/// Reads a trace file, event by event, in constant memory (plus the texts). Accepts any file: one still being
/// written, one cut off anywhere, one damaged, one that is not a trace. Not thread-safe.
///
///   while (auto event = reader.next()) use(*event);
///   if (!reader.damage().empty()) ...
class Reader {
 public:
  static Result<Reader> open(const std::string& path);

  /// As of open() or the last refresh().
  const Capture& capture() const { return capture_; }

  /// The next event; none after the last whole record or at damage. Records of an unknown kind are skipped
  /// and counted. The in-place counts of an event are those at the moment of reading; read a finished file for the
  /// final ones.
  std::optional<Event> next();

  /// Reads the header again: next() continues with what a running process has written since. Takes about a
  /// microsecond.
  void refresh();

  /// The text of a name that an event read so far referred to. Valid as long as the Reader.
  std::string_view text(NameId id) const;

  /// What is wrong with the file and at which byte, once next() has reached it; empty if nothing is. Earlier events are
  /// good.
  const std::string& damage() const { return damage_; }

  /// Counted: "trace.unknown_record", "trace.dropped_record", "trace.damaged".
  Diagnostics diagnostics() const;

 private:
  using Decode = std::optional<Payload> (Reader::*)(std::span<const std::byte>);

  explicit Reader(FileWindow file) : file_(std::move(file)) {}

  Status read_header(const std::string& path);
  std::optional<wire::RecordHead> next_head();
  static Decode decoder_of(wire::Kind kind);
  template <class Wire>
  std::optional<Payload> decode(std::span<const std::byte> payload);
  std::optional<Payload> decode_name(std::span<const std::byte> payload);
  bool knows(NameId id) const;
  template <class E>
  bool knows_names_of(const E& event) const;
  std::nullopt_t found_damage(const std::string& what);

  FileWindow file_;
  Capture capture_{};
  std::uint64_t end_ = 0;
  std::uint64_t offset_ = 0;
  std::deque<std::string> names_;
  std::uint64_t unknown_records_ = 0;
  std::string damage_;
};

}  // namespace dryfit::trace
