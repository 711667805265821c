// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "snapshot/opcodes.h"

namespace dryfit::snapshot {

/// Writes a pickle of protocol 4, piece by piece. Each distinct text is written once and referred to afterwards;
/// anything else to refer to must be memoized by the caller. The caller ends each container that it begins.
///
///   Pickler pickler;
///   pickler.begin_dict();
///   pickler.text("segments");
///   pickler.empty_list();
///   pickler.end_dict();
///   std::string bytes = std::move(pickler).finish();
class Pickler {
 public:
  Pickler();

  void begin_dict();
  void end_dict();
  void begin_list();
  void end_list();
  void empty_list();
  void text(std::string_view text);
  void integer(std::int64_t number);
  void real(double number);
  void boolean(bool value);
  void pair(std::int64_t first, std::int64_t second);

  /// Puts the container just ended, or the text just written, into the memo; returns its number for get().
  std::uint32_t memoize();
  void get(std::uint32_t memo);

  std::string finish() &&;

 private:
  void put(Opcode opcode) { bytes_ += static_cast<char>(opcode); }
  void put_number(std::uint64_t number, int bytes);

  std::string bytes_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::uint32_t memoized_ = 0;
};

}  // namespace dryfit::snapshot
