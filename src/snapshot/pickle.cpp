// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "snapshot/pickle.h"

#include <bit>

#include "base/check.h"
#include "snapshot/little_endian.h"
#include "snapshot/opcodes.h"
#include "snapshot/unpickler.h"

namespace dryfit::snapshot {

Result<Pickle> Pickle::read(std::string_view bytes) { return Unpickler(bytes).run(); }

Kind Pickle::kind(Value value) const {
  return value.tag() == Value::kWideInteger ? Kind::integer : static_cast<Kind>(value.tag());
}

bool Pickle::boolean(Value value) const {
  DRYFIT_CHECK(is(value, Kind::boolean));
  return value.payload() != 0;
}

std::int64_t Pickle::integer(Value value) const {
  DRYFIT_CHECK(is(value, Kind::integer));
  if (value.tag() == Value::kWideInteger) return static_cast<std::int64_t>(wide_[value.payload()]);
  return static_cast<std::int64_t>(value.bits()) >> 4;
}

double Pickle::real(Value value) const {
  DRYFIT_CHECK(is(value, Kind::real));
  return std::bit_cast<double>(wide_[value.payload()]);
}

std::string_view Pickle::text(Value value) const {
  DRYFIT_CHECK(is(value, Kind::text));
  const auto at = value.payload();
  const auto length_bytes = text_length_bytes(static_cast<Opcode>(static_cast<std::uint8_t>(bytes_[at])));
  return bytes_.substr(at + 1 + length_bytes, little_endian(bytes_.substr(at + 1, length_bytes)));
}

std::uint64_t Pickle::size(Value container) const {
  DRYFIT_CHECK(is(container, Kind::tuple) || is(container, Kind::list) || is(container, Kind::dict));
  std::uint64_t size = 0;
  for (auto index = static_cast<std::uint32_t>(container.payload()); index != kNoNode; index = nodes_[index].next) {
    size += nodes_[index].count;
  }
  return size;
}

}  // namespace dryfit::snapshot
