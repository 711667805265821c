// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dryfit::history {

/// Seconds since 1970 for "1793612100", "2026-11-02", "2026-11-02T10:15:00" or the same with a space; in UTC with a "Z"
/// at the end, else in this machine's local time. None: it is something else.
std::optional<std::int64_t> parse_time(std::string_view text);

/// "2026-11-02T10:15:00Z".
std::string time_text(std::int64_t seconds);

}  // namespace dryfit::history
