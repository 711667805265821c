// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::oracle {

/// The whole text of a file; .xz files are decompressed.
Result<std::string> read_text_file(const std::string& path);

/// The lines of a text, without line ends.
std::vector<std::string_view> lines_of(std::string_view text);
/// The parts between separators, including empty ones.
std::vector<std::string_view> split(std::string_view text, char separator);
/// The text as a number; none unless the whole text is one.
std::optional<std::uint64_t> to_number(std::string_view text, int base = 10);

}  // namespace dryfit::oracle
