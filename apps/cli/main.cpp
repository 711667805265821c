// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

/// CLI11 takes the words in reverse.
void parse(CLI::App& app, const Arguments& arguments) {
  app.parse(std::vector<std::string>(arguments.ours.rbegin(), arguments.ours.rend()));
}

bool has_command(const CLI::App& app, const std::string& word) {
  const auto commands = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
  return !commands.empty();
}

/// Of a word that is no subcommand CLI11 only says that one is required.
std::optional<Error> unknown_command(const CLI::App& app, const Arguments& arguments) {
  if (arguments.ours.empty() || arguments.ours.front().starts_with("-")) return std::nullopt;
  const auto& word = arguments.ours.front();
  if (has_command(app, word)) return std::nullopt;
  return Error{"there is no command '" + word + "'", "See: dryfit --help"};
}

int run_command_line(int argc, const char* const* argv) {
  const auto arguments = split_arguments(argc, argv);
  int exit_code = kSuccess;
  CLI::App app("Dryfit tells whether a training job fits a GPU, without the GPU.", "dryfit");
  app.footer(
      "Example:\n  dryfit run --gpu rtx-3060-12gb -- python train.py\n\n"
      "`dryfit COMMAND --help` tells more.");
  app.set_version_flag("--version", "dryfit " DRYFIT_VERSION);
  app.require_subcommand(1);
  add_run(app, arguments, exit_code);
  add_gpus(app, exit_code);
  add_replay(app, exit_code);
  add_report(app, exit_code);
  add_top(app, exit_code);
  add_diff(app, exit_code);
  add_export(app, exit_code);
  add_predict(app, exit_code);
  add_models(app, exit_code);
  add_harvest(app, exit_code);
  add_observe(app, arguments, exit_code);
  add_history(app, exit_code);
  add_learn(app, arguments, exit_code);
  add_evaluate(app, arguments, exit_code);
  add_profile(app, arguments, exit_code);
  add_estimate(app, exit_code);
  add_trace(app, exit_code);
  if (const auto wrong = unknown_command(app, arguments)) return fail(*wrong, kWrongUsage);
  try {
    parse(app, arguments);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const auto command = chosen.empty() ? std::string() : chosen.front()->get_name() + " ";
    return fail({error.what(), "See: dryfit " + command + "--help"}, kWrongUsage);
  }
  return exit_code;
}

}  // namespace
}  // namespace dryfit::cli

int main(int argc, char** argv) {
  try {
    return dryfit::cli::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    return dryfit::cli::fail({error.what(), "This should not have happened; please report it."},
                             dryfit::cli::kCouldNotTell);
  }
}
