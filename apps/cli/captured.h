// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// The result of a short command.
struct Captured {
  int code = 0;  ///< as a shell reports it
  std::string output;
  std::string errors;  ///< what it wrote to stderr
};

/// Runs a command from PATH without input. An Error when it cannot be started.
Result<Captured> run_captured(std::vector<std::string> command);

}  // namespace dryfit::cli
