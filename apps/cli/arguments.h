// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace dryfit::cli {

/// A command line cut at its first "--": what is ours, and what belongs to the user's command.
struct Arguments {
  std::string called;              ///< the program's own name, as it was called
  std::vector<std::string> ours;   ///< without that name
  std::vector<std::string> after;  ///< what followed "--"
  bool dashes = false;             ///< there was a "--"
};
Arguments split_arguments(int argc, const char* const* argv);

/// The user's command: `plain` is what followed our options without a "--" (dryfit run --gpu x python train.py). A "--"
/// after the beginning of the command is the command's own.
std::vector<std::string> joined_command(std::vector<std::string> plain, const Arguments& arguments);

}  // namespace dryfit::cli
