// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "arguments.h"

namespace dryfit::cli {

/// All words that follow `command`, --help too, go to a program of its own (companion.h). `arguments` and `exit_code`
/// must outlive `command`.
void forward_to(CLI::App& command, const std::string& program, const Arguments& arguments, int& exit_code);

}  // namespace dryfit::cli
