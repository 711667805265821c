// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// Where this program was found, to look for others beside it.
struct OwnPlace {
  std::filesystem::path executable;  ///< with links followed
  std::filesystem::path called;      ///< the name it was started with; may be a link, and may have no folder
  std::string search_path;           ///< PATH
};

/// Finds the program of a subcommand that is a program of its own, because it needs what most people do not install
/// (libtorch): beside this program, beside the link through which this program was called, and on the PATH, in that
/// order. The Error names it and how to build it.
Result<std::filesystem::path> find_companion(const std::string& name, const OwnPlace& place);

/// Replaces this process by that program with these arguments; returns only with an Error.
Error exec_program(const std::filesystem::path& program, const std::vector<std::string>& words);

}  // namespace dryfit::cli
