// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace dryfit::cli {

/// "90", "90s", "1.5m", "2h": seconds unless a unit is given; more than zero, at most a year.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace dryfit::cli
