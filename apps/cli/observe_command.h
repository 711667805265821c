// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "observe_options.h"

namespace dryfit::cli {

/// `dryfit observe -- command`: runs it, records what it used, and gives the exit code, which is the command's.
int observe_command(ObserveOptions options, const std::vector<std::string>& command);

}  // namespace dryfit::cli
