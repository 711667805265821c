// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// A short command that has run.
struct Captured {
  int code = 0;  ///< as a shell shows it
  std::string output;
  std::string errors;  ///< what it wrote to stderr
};

/// Runs a command that is found in PATH, without input. An Error when it cannot be started.
Result<Captured> run_captured(std::vector<std::string> command);

}  // namespace dryfit::cli
