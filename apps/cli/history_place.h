// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// The history that the user named, else $XDG_DATA_HOME/dryfit/history.db, else ~/.local/share/dryfit/history.db.
/// `environment` is "NAME=value". An Error if neither variable is set.
Result<std::filesystem::path> history_file(const std::filesystem::path& named,
                                           const std::vector<std::string>& environment);

/// The same for a history that must exist already.
Result<std::filesystem::path> existing_history(const std::filesystem::path& named,
                                               const std::vector<std::string>& environment);

}  // namespace dryfit::cli
