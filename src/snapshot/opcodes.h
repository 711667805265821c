// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dryfit::snapshot {

/// The opcodes of Python's pickle machine that a memory snapshot needs, by their documented names. All others create
/// objects, call functions or come from protocols that no snapshot was written in.
enum class Opcode : std::uint8_t {
  MARK = '(',
  STOP = '.',
  NONE = 'N',
  BININT = 'J',
  BININT1 = 'K',
  BININT2 = 'M',
  BINFLOAT = 'G',
  BINUNICODE = 'X',
  EMPTY_DICT = '}',
  EMPTY_LIST = ']',
  EMPTY_TUPLE = ')',
  APPEND = 'a',
  APPENDS = 'e',
  SETITEM = 's',
  SETITEMS = 'u',
  TUPLE = 't',
  BINGET = 'h',
  LONG_BINGET = 'j',
  BINPUT = 'q',
  LONG_BINPUT = 'r',
  PROTO = 0x80,
  TUPLE1 = 0x85,
  TUPLE2 = 0x86,
  TUPLE3 = 0x87,
  NEWTRUE = 0x88,
  NEWFALSE = 0x89,
  LONG1 = 0x8a,
  LONG4 = 0x8b,
  SHORT_BINUNICODE = 0x8c,
  BINUNICODE8 = 0x8d,
  MEMOIZE = 0x94,
  FRAME = 0x95,
};

/// How many bytes of length follow the opcode of a string.
constexpr std::size_t text_length_bytes(Opcode opcode) {
  if (opcode == Opcode::SHORT_BINUNICODE) return 1;
  return opcode == Opcode::BINUNICODE ? 4 : 8;
}

/// The documented name of any opcode, also of one that is refused: "STACK_GLOBAL"; "opcode 0xff" when there is none.
std::string opcode_name(std::uint8_t code);

}  // namespace dryfit::snapshot
