// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/pickler.h"

#include <bit>
#include <utility>

namespace dryfit::snapshot {
namespace {

constexpr char kProtocol = 4;

}  // namespace

Pickler::Pickler() {
  put(Opcode::PROTO);
  bytes_ += kProtocol;
}

void Pickler::put_number(std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(number >> (8 * i) & 0xff);
}

void Pickler::begin_dict() {
  put(Opcode::EMPTY_DICT);
  put(Opcode::MARK);
}

void Pickler::end_dict() { put(Opcode::SETITEMS); }

void Pickler::begin_list() {
  put(Opcode::EMPTY_LIST);
  put(Opcode::MARK);
}

void Pickler::end_list() { put(Opcode::APPENDS); }

void Pickler::empty_list() { put(Opcode::EMPTY_LIST); }

void Pickler::text(std::string_view text) {
  const auto [known, is_new] = texts_.try_emplace(std::string(text), memoized_);
  if (!is_new) return get(known->second);
  const bool is_short = text.size() < 256;
  put(is_short ? Opcode::SHORT_BINUNICODE : Opcode::BINUNICODE8);
  put_number(text.size(), is_short ? 1 : 8);
  bytes_ += text;
  memoize();
}

void Pickler::integer(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (number >= 0 && number < 256) {
    put(Opcode::BININT1);
    put_number(bits, 1);
  } else if (number == static_cast<std::int32_t>(number)) {
    put(Opcode::BININT);
    put_number(bits, 4);
  } else {
    put(Opcode::LONG1);
    put_number(8, 1);
    put_number(bits, 8);
  }
}

void Pickler::real(double number) {
  put(Opcode::BINFLOAT);
  const auto bits = std::bit_cast<std::uint64_t>(number);
  for (int i = 7; i >= 0; --i) bytes_ += static_cast<char>(bits >> (8 * i) & 0xff);
}

void Pickler::boolean(bool value) { put(value ? Opcode::NEWTRUE : Opcode::NEWFALSE); }

void Pickler::pair(std::int64_t first, std::int64_t second) {
  integer(first);
  integer(second);
  put(Opcode::TUPLE2);
}

std::uint32_t Pickler::memoize() {
  put(Opcode::MEMOIZE);
  return memoized_++;
}

void Pickler::get(std::uint32_t memo) {
  put(memo < 256 ? Opcode::BINGET : Opcode::LONG_BINGET);
  put_number(memo, memo < 256 ? 1 : 4);
}

std::string Pickler::finish() && {
  put(Opcode::STOP);
  return std::move(bytes_);
}

}  // namespace dryfit::snapshot
