// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dryfit::driver {

/// Sets the value of counts that the calling thread reads back from the device; negative: what the memory holds.
void answer_counts_with(std::int64_t count);

/// Writes the value to `out` if one is set and `out` has the size of a number; false: nothing was written.
bool answer_count(std::span<std::byte> out);

}  // namespace dryfit::driver
