// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "typed_line.h"

/// What people type who know the words of other tools.
namespace dryfit::cli {

/// The words that `option` with this value stands for in `command`: `--ngpus 2` for `--count 2`. None if it is not known.
std::optional<std::vector<std::string>> option_meant(const CLI::App& command, const std::string& option,
                                                     const std::optional<std::string>& value);

/// The line with a command in place of `word`, which is not a command of `app`: `diff a b` for `compare a b`, or
/// `top last` for `last`. None if it is not known.
std::optional<TypedLine> line_meant(const CLI::App& app, const std::string& word, const TypedLine& line);

/// For words of which one begins with a long dash, as text editors make of "--".
std::optional<Error> long_dash(const std::vector<std::string>& words, const TypedLine& line);

}  // namespace dryfit::cli
