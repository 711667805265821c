// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "launch/environment.h"

namespace dryfit::launch {

/// The file that `name` refers to, found as a shell would: a name with a slash is a path from the working directory,
/// any other is searched for in the environment's PATH. The Error says what is wrong with it, and which command may
/// have been meant.
Result<std::filesystem::path> find_command(const std::string& name, const Environment& environment);

/// Why the kernel refused to run `program`, in words; `error` is the errno of execve.
Error explain_refusal(const std::filesystem::path& program, int error);

/// The program in PATH that a slip could have turned into `name`; empty if there is none.
std::string nearest_command(const std::string& name, const Environment& environment);

}  // namespace dryfit::launch
