// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "observation.h"

namespace dryfit::cli {

/// The options of `dryfit observe`, as typed.
struct ObserveOptions {
  std::filesystem::path file;  ///< "-": stdin; empty: the values are typed
  std::string format;
  std::string peak;
  std::filesystem::path job_file;
  std::filesystem::path prediction_file;
  Remarks remarks;
  std::filesystem::path history;
  std::vector<std::filesystem::path> cards;
  bool any_ending = false;
  bool json = false;
};

/// Adds them to the subcommand.
void declare(CLI::App& command, ObserveOptions& options);

}  // namespace dryfit::cli
