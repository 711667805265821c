// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "card/machine.h"

namespace dryfit::cli {

/// Reads the segments of a recorded run in the order of their creation: one per line, its size in bytes and its address
/// in hexadecimal.
///
///     20971520 0x7f217a600000
Result<std::vector<RecordedSegment>> read_recorded_segments(const std::filesystem::path& file);

}  // namespace dryfit::cli
