// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

/// What the subcommands that run the user's command (`run`, `profile`) have in common on their command line.
namespace dryfit::cli {

/// A number from 1, or "all", which leaves `steps` empty.
Status understand_steps(const std::string& text, std::optional<std::uint64_t>& steps);

/// `plain` is the command as far as it stood before a "--", `command` the whole of it.
Status check_command(const std::string& subcommand, const std::vector<std::string>& plain,
                     const std::vector<std::string>& command);

}  // namespace dryfit::cli
