// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/json_pieces.h"

#include <array>
#include <cstring>

namespace dryfit::estimate {
namespace {

constexpr std::size_t kPadding = 64;  ///< simdjson reads at most this far behind a text

constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// The role of a byte in the nesting.
enum Class : unsigned char { kOther, kQuote, kOpen, kClose, kEnd };

constexpr std::array<unsigned char, 256> make_classes() {
  std::array<unsigned char, 256> classes{};
  classes['"'] = kQuote;
  classes['{'] = classes['['] = kOpen;
  classes['}'] = classes[']'] = kClose;
  return classes;
}
constexpr auto kClasses = make_classes();

/// Walks over one value, as far as its bytes are available; can continue where it stopped.
class ValueWalk {
 public:
  /// Where the value ends in text[0, size); 0: not yet. Bytes before the last end are not needed again.
  std::size_t walk(const char* text, std::size_t size) {
    while (at_ < size) {
      if (in_string_) {
        if (!skip_string(text, size)) return 0;
        if (depth_ == 0) return at_;
        continue;
      }
      const char c = text[at_];
      const auto kind = kClasses[static_cast<unsigned char>(c)];
      if (depth_ == 0 && at_ > 0 && kind != kOpen && (c == ',' || kind == kClose || is_space(c))) return at_;
      ++at_;
      if (kind == kQuote) in_string_ = true;
      if (kind == kOpen) ++depth_;
      if (kind == kClose && --depth_ == 0) return at_;
    }
    return 0;
  }

 private:
  /// Moves behind the closing quote; false: it is not available yet.
  bool skip_string(const char* text, std::size_t size) {
    while (at_ < size) {
      const auto* quote = static_cast<const char*>(std::memchr(text + at_, '"', size - at_));
      if (!quote) {
        count_backslashes(text, size);
        at_ = size;
        return false;
      }
      const auto end = static_cast<std::size_t>(quote - text);
      count_backslashes(text, end);
      at_ = end + 1;
      if (backslashes_ % 2 == 0) {
        in_string_ = false;
        return true;
      }
      backslashes_ = 0;
    }
    return false;
  }

  /// Those directly before `end`, including those before `at_` if nothing is between.
  void count_backslashes(const char* text, std::size_t end) {
    std::size_t first = end;
    while (first > at_ && text[first - 1] == '\\') --first;
    backslashes_ = first == at_ ? backslashes_ + (end - first) : end - first;
  }

  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t backslashes_ = 0;
  bool in_string_ = false;
};

}  // namespace

JsonPieces::JsonPieces(ByteSource& source, std::size_t window) : source_(source), window_(window + kPadding) {}

std::optional<JsonPiece> JsonPieces::next() {
  if (state_ == State::start) {
    const char c = peek();
    if (c != '{' && c != '[') {
      fail(c == 0 ? "it is empty" : "it is not JSON");
      return std::nullopt;
    }
    ++at_;
    state_ = c == '{' ? State::in_object : State::in_list;
    is_trace_ = c == '[';
  }
  if (state_ == State::in_object) return next_of_object();
  if (state_ == State::in_events || state_ == State::in_list) return next_event();
  return std::nullopt;
}

std::optional<JsonPiece> JsonPieces::next_of_object() {
  char c = peek();
  if (c == ',') {
    ++at_;
    c = peek();
  }
  if (c == '}') {
    state_ = State::end;
    return std::nullopt;
  }
  if (c != '"') {
    fail(c == 0 ? "it ends in the middle" : "it is not JSON");
    return std::nullopt;
  }
  const auto key_length = value_length();
  if (key_length < 2) return std::nullopt;
  key_.assign(window_.data() + at_ + 1, key_length - 2);
  at_ += key_length;
  if (peek() != ':') {
    fail(at_end_ && at_ >= filled_ ? "it ends in the middle" : "it is not JSON");
    return std::nullopt;
  }
  ++at_;
  c = peek();
  if (key_ == "traceEvents" && c == '[') {
    ++at_;
    is_trace_ = true;
    state_ = State::in_events;
    return next_event();
  }
  const auto length = value_length();
  if (length == 0) return std::nullopt;
  const std::string_view text(window_.data() + at_, length);
  at_ += length;
  return JsonPiece{key_, text};
}

std::optional<JsonPiece> JsonPieces::next_event() {
  char c = peek();
  if (c == ',') {
    ++at_;
    c = peek();
  }
  if (c == ']') {
    ++at_;
    const bool whole = state_ == State::in_list;
    state_ = whole ? State::end : State::in_object;
    return whole ? std::nullopt : next_of_object();
  }
  if (c == 0) {
    // Chrome accepts a list of events that was never closed.
    if (state_ == State::in_list && source_.damage().empty()) {
      state_ = State::end;
    } else {
      fail("it ends in the middle");
    }
    return std::nullopt;
  }
  const auto length = value_length();
  if (length == 0) return std::nullopt;
  const std::string_view text(window_.data() + at_, length);
  at_ += length;
  return JsonPiece{"traceEvents", text};
}

char JsonPieces::peek() {
  for (;;) {
    while (at_ < filled_ && is_space(window_[at_])) ++at_;
    if (at_ < filled_) return window_[at_];
    if (!refill()) return 0;
  }
}

bool JsonPieces::refill() {
  if (at_end_) return false;
  std::memmove(window_.data(), window_.data() + at_, filled_ - at_);
  consumed_ += at_;
  filled_ -= at_;
  at_ = 0;
  auto room = window_.size() - kPadding;
  if (filled_ == room) {
    if (room >= kLargestPiece) {
      fail("one value in it is larger than " + std::to_string(kLargestPiece >> 20) + " MiB");
      at_end_ = true;
      return false;
    }
    room *= 2;
    window_.resize(room + kPadding);
  }
  const auto got = source_.read({window_.data() + filled_, room - filled_});
  at_end_ = got < room - filled_;
  filled_ += got;
  std::memset(window_.data() + filled_, 0, kPadding);
  return got > 0;
}

std::size_t JsonPieces::value_length() {
  const char first = peek();
  if (first == ',' || first == ':' || first == '}' || first == ']') {
    fail("it is not JSON");
    return 0;
  }
  ValueWalk walk;
  for (;;) {
    if (const auto length = walk.walk(window_.data() + at_, filled_ - at_)) return length;
    if (!refill()) break;
  }
  fail("it ends in the middle");
  return 0;
}

void JsonPieces::fail(std::string_view why) {
  state_ = State::end;
  if (!damage_.empty()) return;
  damage_ = source_.damage().empty() ? std::string(why) : source_.damage();
}

}  // namespace dryfit::estimate
