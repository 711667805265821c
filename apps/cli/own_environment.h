// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dryfit::cli {

/// The environment that we were started with, as "NAME=value".
std::vector<std::string> own_environment();

/// Our folder of that name for what is kept between runs: $XDG_CACHE_HOME/dryfit/<name> or ~/.cache/dryfit/<name>.
/// nullopt if the environment does not name such a place.
std::optional<std::filesystem::path> own_cache(const std::string& name);
std::optional<std::filesystem::path> own_cache(const std::string& name, const std::vector<std::string>& environment);

}  // namespace dryfit::cli
