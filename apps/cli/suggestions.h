// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "arguments.h"
#include "base/result.h"
#include "typed_line.h"

/// What is wrong with a command line, and where it can be known, the line that would have worked.
namespace dryfit::cli {

/// For a command line that does not begin with one of `app`'s commands or options.
std::optional<Error> wrong_beginning(const CLI::App& app, const Arguments& arguments, const TypedLine& line);

/// For `word`, which begins with "-" and is not an option of `command`.
Error unknown_option(const CLI::App& command, const std::string& word, const TypedLine& line);

/// For what CLI11 rejects; `app` is the outermost command.
Error explained(const CLI::ParseError& error, const CLI::App& app, const TypedLine& line);

}  // namespace dryfit::cli
