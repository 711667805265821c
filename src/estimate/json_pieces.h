// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/byte_source.h"

namespace dryfit::estimate {

/// A piece of a trace file: one event, or the value of one other key of its outermost object.
struct JsonPiece {
  std::string_view key;   ///< "traceEvents" for each event
  std::string_view text;  ///< the value; simdjson's padding may be read behind it
};

/// Cuts a trace file of any size into its pieces, through a window that is as large as the largest of them. It looks
/// only at the nesting of brackets and strings; the content of a piece is not checked.
class JsonPieces {
 public:
  /// Pieces that matter are never larger.
  static constexpr std::size_t kLargestPiece = std::size_t{256} << 20;

  explicit JsonPieces(ByteSource& source, std::size_t window = std::size_t{4} << 20);

  /// The next one, valid until the next call; none: the end, or damage.
  std::optional<JsonPiece> next();

  /// Why it ended before the file's own end ("it ends in the middle"); empty: it did not.
  const std::string& damage() const { return damage_; }
  /// The file is an object with traceEvents, or a list of events: both are Chrome's trace formats.
  bool is_trace() const { return is_trace_; }
  /// Bytes of JSON before the place reached.
  std::uint64_t position() const { return consumed_ + at_; }

 private:
  enum class State { start, in_object, in_events, in_list, end };

  std::optional<JsonPiece> next_of_object();
  std::optional<JsonPiece> next_event();
  /// The next byte that is not white space, made available; 0: there is none.
  char peek();
  bool refill();
  /// Length of the value that begins at `at_`, with all of it in the window; 0: it never ends.
  std::size_t value_length();
  void fail(std::string_view why);

  ByteSource& source_;
  std::vector<char> window_;
  std::size_t at_ = 0;      ///< position of the next byte to read
  std::size_t filled_ = 0;  ///< bytes in the window
  std::uint64_t consumed_ = 0;
  bool at_end_ = false;
  bool is_trace_ = false;
  State state_ = State::start;
  std::string key_;
  std::string damage_;
};

}  // namespace dryfit::estimate
