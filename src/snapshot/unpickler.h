// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "snapshot/opcodes.h"
#include "snapshot/pickle.h"

namespace dryfit::snapshot {

/// The machine that reads a pickle: a stack, marks in it, and a memo. Used once, by Pickle::read.
///
/// Note [Shared containers]. A pickler puts a container into the memo while it is still empty, so a hostile file could
/// put a list into itself, or let it grow unnoticed by the containers that hold it. Here, a container taken from the
/// memo is closed for good, and adding to a closed one is refused. Picklers of honest data never do that: they refer
/// only to containers that are complete. So the result has no cycles, and its depth is known as it grows.
class Unpickler {
 public:
  explicit Unpickler(std::string_view bytes);
  Result<Pickle> run();

 private:
  using Handler = bool (Unpickler::*)();
  static constexpr std::size_t kMostMarks = 64;
  static constexpr std::uint8_t kMostDepth = 64;

  static constexpr std::array<Handler, 256> make_handlers();
  static const std::array<Handler, 256> kHandlers;

  // One per opcode or family of opcodes; false: refused, with the reason in error_.
  bool on_proto();
  bool on_frame();
  bool on_mark();
  bool on_none();
  bool on_true();
  bool on_false();
  template <std::size_t size>
  bool on_small_integer();
  bool on_binint();
  template <std::size_t size>
  bool on_long();
  bool on_float();
  bool on_text();
  bool on_empty_dict();
  bool on_empty_list();
  bool on_empty_tuple();
  template <std::size_t count>
  bool on_short_tuple();
  bool on_tuple();
  bool on_append();
  bool on_appends();
  bool on_setitem();
  bool on_setitems();
  bool on_memoize();
  template <std::size_t size>
  bool on_put();
  template <std::size_t size>
  bool on_get();
  bool on_stop();

  /// Takes the next `count` bytes of the file.
  bool take(std::size_t count, std::string_view& taken);
  bool take_number(std::size_t count, std::uint64_t& number);

  bool push(Value value);
  bool push_integer(std::int64_t number);
  bool push_container(Kind kind);
  /// Makes a tuple of the stack from `begin` on.
  bool make_tuple(std::size_t begin);
  /// Moves the stack from `begin` on into the container below it.
  bool fill(std::size_t begin, Kind kind);
  bool take_mark(std::size_t& begin);
  bool put(std::uint64_t index);

  bool add_items(std::uint32_t container, std::size_t begin);
  bool deepen(std::uint32_t container, std::size_t begin);
  bool is_container(Value value) const {
    return value.tag() >= static_cast<std::uint64_t>(Kind::tuple) &&
           value.tag() <= static_cast<std::uint64_t>(Kind::dict);
  }
  bool within_budget();

  bool refuse(std::string why, std::string hint = "");

  std::string_view bytes_;
  std::size_t at_ = 0;         ///< the next byte
  std::size_t opcode_at_ = 0;  ///< the opcode being read
  bool stopped_ = false;
  Pickle result_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  ///< sizes of the stack
  std::vector<Value> memo_;
  Error error_;
};

}  // namespace dryfit::snapshot
