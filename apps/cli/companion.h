// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// Where this program was found, for the look for others beside it.
struct OwnPlace {
  std::filesystem::path executable;  ///< with links followed
  std::filesystem::path called;      ///< the name it was started by; it may be a link, and may have no folder
  std::string search_path;           ///< PATH
};

/// A subcommand may be a program of its own, because it needs what most people do not install (libtorch). It is looked
/// for beside this program, beside the link by which this program was called, and on the PATH, in that order. The Error
/// names it and how it is made.
Result<std::filesystem::path> find_companion(const std::string& name, const OwnPlace& place);

/// Becomes that program with these words, and comes back only with an Error.
Error become(const std::filesystem::path& program, const std::vector<std::string>& words);

}  // namespace dryfit::cli
