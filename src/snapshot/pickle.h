// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::snapshot {

enum class Kind : std::uint8_t { none, boolean, integer, real, text, tuple, list, dict };

/// A value of a Pickle: a number, or a reference to what the pickle holds. Two values that are equal in their bits are
/// the same object; an object reached again through the pickle's memo is the same object.
///
///     bits 0-3   kind, or one of the tags below
///     bits 4-63  a boolean; an integer of 60 bits; the file offset of a text's opcode; an index
class Value {
 public:
  constexpr Value() = default;
  std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(Value, Value) = default;

 private:
  friend class Pickle;
  friend class Unpickler;
  static constexpr std::uint64_t kWideInteger = 15;  ///< an integer that 60 bits cannot hold, by index
  constexpr Value(std::uint64_t tag, std::uint64_t payload) : bits_(payload << 4 | tag) {}
  std::uint64_t tag() const { return bits_ & 15; }
  std::uint64_t payload() const { return bits_ >> 4; }

  std::uint64_t bits_ = 0;
};

/// What a pickle holds, read-only: dicts, lists, tuples, texts, numbers. Containers never contain themselves. Texts are
/// views into the bytes it was read from, which must outlive it.
///
/// Needs at most kMemoryPerByte bytes of memory for each byte of the pickle, plus a few pages.
class Pickle {
 public:
  static constexpr std::uint64_t kMemoryPerByte = 24;

  /// Reads one pickle from the beginning of `bytes` and ignores what follows it. Anything but the opcodes and types
  /// of a memory snapshot is refused, with the offset and the name of the opcode.
  static Result<Pickle> read(std::string_view bytes);

  Value root() const { return root_; }

  Kind kind(Value value) const;
  bool is(Value value, Kind kind) const { return this->kind(value) == kind; }

  /// Each may only be called with a value of that kind.
  bool boolean(Value value) const;
  std::int64_t integer(Value value) const;  ///< clamped to 64 bits
  double real(Value value) const;
  std::string_view text(Value value) const;

  /// Elements of a tuple or list; keys plus values of a dict.
  std::uint64_t size(Value container) const;

  /// Calls visit(element) for each element of a tuple or list, in order.
  template <class Visitor>
  void each(Value container, Visitor visit) const;

  /// Calls visit(key, value) for each entry of a dict, in the order they were written. A key may occur twice; the last
  /// one counts.
  template <class Visitor>
  void each_entry(Value dict, Visitor visit) const;

 private:
  friend class Unpickler;
  static constexpr std::uint32_t kNoNode = ~std::uint32_t{0};

  /// A run of a container's elements; the first run of a container represents the container.
  struct Node {
    std::uint64_t first = 0;       ///< into items_
    std::uint32_t count = 0;       ///< keys and values of a dict count separately
    std::uint32_t next = kNoNode;  ///< the next run
    std::uint32_t last = kNoNode;  ///< the last run, in a container of several
    std::uint8_t depth = 1;        ///< containers inside each other, this one included
    bool shared = false;           ///< reached through the memo: nothing may be added anymore
  };

  explicit Pickle(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
  Value root_;
  std::vector<Node> nodes_;
  std::vector<Value> items_;
  std::vector<std::uint64_t> wide_;  ///< wide integers and reals, by their bits
};

template <class Visitor>
void Pickle::each(Value container, Visitor visit) const {
  for (auto index = static_cast<std::uint32_t>(container.payload()); index != kNoNode; index = nodes_[index].next) {
    const auto& node = nodes_[index];
    for (std::uint64_t i = 0; i < node.count; ++i) visit(items_[node.first + i]);
  }
}

template <class Visitor>
void Pickle::each_entry(Value dict, Visitor visit) const {
  for (auto index = static_cast<std::uint32_t>(dict.payload()); index != kNoNode; index = nodes_[index].next) {
    const auto& node = nodes_[index];
    for (std::uint64_t i = 0; i < node.count; i += 2) visit(items_[node.first + i], items_[node.first + i + 1]);
  }
}

}  // namespace dryfit::snapshot
