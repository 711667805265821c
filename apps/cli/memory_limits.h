// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "card/catalogue.h"
#include "card/memory_share.h"

namespace dryfit::cli {

/// --cap and --gpu-limit as typed.
struct TypedMemoryLimits {
  std::string cap;
  std::string gpu_limit;

  void declare(CLI::App& command);
  Result<MemoryLimits> parse() const;
};

/// The cards as the job may use them. An Error where a limit is more than one has.
Result<std::vector<CardFile>> limited(const std::vector<const CardFile*>& cards, const MemoryLimits& limits);

}  // namespace dryfit::cli
