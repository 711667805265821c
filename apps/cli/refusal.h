// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/result.h"
#include "screen.h"

namespace dryfit::cli {

/// For functions that return nothing where something is wrong, having said it: on stderr, with the exit code set.
inline std::nullopt_t refused(const Error& error, int code, int& exit_code) {
  exit_code = fail(error, code);
  return std::nullopt;
}

}  // namespace dryfit::cli
