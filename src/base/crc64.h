// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace dryfit {

/// CRC-64 of ECMA-182, reflected, as xz writes it: that of "123456789" is 995DC9BBDF1939FA. Piece by piece:
/// crc64(b, crc64(a)) is that of a and b together.
std::uint64_t crc64(std::string_view bytes, std::uint64_t before = 0);

}  // namespace dryfit
