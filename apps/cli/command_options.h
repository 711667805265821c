// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/environment.h"
#include "typed_line.h"

/// What the subcommands that run the user's command (`run`, `limits`, `profile`) have in common on their command line.
namespace dryfit::cli {

/// A number from 1, or "all", which leaves `steps` empty.
Status parse_steps(const std::string& text, std::optional<std::uint64_t>& steps);

/// For a line without the user's command.
Error no_command(const TypedLine& line);

/// The line of a `dryfit run` or `dryfit profile` with a command: the interpreter before a script alone, and an example
/// where there is none. Other lines stay as they are.
TypedLine with_whole_command(const TypedLine& line);

/// Checks that the program and, for Python, its script exist. The Error has the line that would have worked as far as
/// it is known.
Status check_program(const std::vector<std::string>& command, const launch::Environment& environment,
                     const TypedLine& line);

}  // namespace dryfit::cli
