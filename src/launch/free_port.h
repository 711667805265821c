// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace dryfit::launch {

/// A TCP port of 127.0.0.1 that nobody listened on a moment ago, chosen by the kernel; none if it has none.
std::optional<std::uint16_t> free_port();

}  // namespace dryfit::launch
