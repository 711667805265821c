// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "command_options.h"

#include <charconv>

namespace dryfit::cli {

Status understand_steps(const std::string& text, std::optional<std::uint64_t>& steps) {
  if (text == "all") {
    steps.reset();
    return {};
  }
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number == 0) {
    return Error{"'" + text + "' is not a number of steps", "Give --steps a number from 1, or all."};
  }
  steps = number;
  return {};
}

Status check_command(const std::string& subcommand, const std::vector<std::string>& plain,
                     const std::vector<std::string>& command) {
  if (!plain.empty() && plain.front().starts_with("-")) {
    return Error{"there is no option '" + plain.front() + "'", "See: dryfit " + subcommand + " --help"};
  }
  if (command.empty()) {
    const std::string card = subcommand == "run" ? "--gpu 3060 " : "";
    return Error{"no command to run", "Put it at the end: dryfit " + subcommand + " " + card + "-- python train.py"};
  }
  return {};
}

}  // namespace dryfit::cli
