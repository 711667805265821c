// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dryfit::cli {

/// Writes the whole text or leaves what was there before: through a temporary file beside it. A symbolic link stays and
/// what it leads to is written; anything but a regular file (a pipe, a device) is written in place.
Status write_atomically(const std::filesystem::path& path, std::string_view text);

/// Whether write_atomically() could write there.
Status check_writable(const std::filesystem::path& path);

/// The last `count` lines of a file, at most 64 KiB; empty when there is none.
std::string last_lines(const std::filesystem::path& path, std::size_t count);

}  // namespace dryfit::cli
