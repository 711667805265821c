// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "forward.h"

#include <cstdlib>

#include "commands.h"
#include "common_options.h"
#include "companion.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

int forward(const std::string& program, const std::vector<std::string>& words, const std::string& called) {
  std::error_code ignored;
  const char* search_path = std::getenv("PATH");
  const auto found = find_companion(program, {.executable = std::filesystem::read_symlink("/proc/self/exe", ignored),
                                              .called = called,
                                              .search_path = search_path ? search_path : ""});
  if (!found) return fail(found.error(), kCouldNotTell);
  return fail(exec_program(*found, words), kCouldNotTell);
}

}  // namespace

void forward_to(CLI::App& command, const std::string& program, const Arguments& arguments, int& exit_code) {
  command.set_help_flag();
  command.prefix_command();
  command.callback([&command, program, &arguments, &exit_code] {
    auto words = command.remaining();
    words.insert(words.end(), arguments.after.begin(), arguments.after.end());
    exit_code = forward(program, words, arguments.called);
  });
}

void add_evaluate(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command = app.add_subcommand("evaluate", "Score predictions against measured jobs")->group(kData);
  command->footer("Examples:\n  dryfit evaluate --data DIR --set schedtune predictions.csv");
  forward_to(*command, "dryfit-evaluate", arguments, exit_code);
}

}  // namespace dryfit::cli
