// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "observe_options.h"

namespace dryfit::cli {

/// `dryfit observe -- command`: runs the command and records what it used. Returns the command's exit code.
int observe_command(ObserveOptions options, const std::vector<std::string>& command);

}  // namespace dryfit::cli
