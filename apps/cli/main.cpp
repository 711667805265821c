// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <exception>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "screen.h"
#include "suggestions.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

/// CLI11 takes the words in reverse.
void parse(CLI::App& app, const Arguments& arguments) {
  app.parse(std::vector<std::string>(arguments.ours.rbegin(), arguments.ours.rend()));
}

void declare(CLI::App& app, const Arguments& arguments, int& exit_code) {
  app.formatter(std::make_shared<Help>());
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.set_version_flag("--version", "dryfit " DRYFIT_VERSION, "Show the version and exit");
  app.require_subcommand(1);
  app.footer("Run `dryfit COMMAND --help` for details.");
  add_run(app, arguments, exit_code);
  add_limits(app, arguments, exit_code);
  add_predict(app, exit_code);
  add_replay(app, exit_code);
  add_profile(app, arguments, exit_code);
  add_estimate(app, exit_code);
  add_top(app, exit_code);
  add_report(app, exit_code);
  add_diff(app, exit_code);
  add_export(app, exit_code);
  add_trace(app, exit_code);
  add_gpus(app, exit_code);
  add_models(app, exit_code);
  add_observe(app, arguments, exit_code);
  add_history(app, exit_code);
  add_learn(app, arguments, exit_code);
  add_harvest(app, exit_code);
  add_evaluate(app, arguments, exit_code);
}

int run_command_line(int argc, const char* const* argv) {
  const auto arguments = split_arguments(argc, argv);
  int exit_code = kSuccess;
  CLI::App app("Dryfit tells you whether a training job will fit on a GPU, and how much memory it needs, without a GPU",
               "dryfit");
  declare(app, arguments, exit_code);
  const auto line = TypedLine::own();
  if (const auto wrong = wrong_beginning(app, arguments, line)) return fail(*wrong, kWrongUsage);
  try {
    parse(app, arguments);
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    return fail(explained(error, app, line), kWrongUsage);
  }
  return exit_code;
}

}  // namespace
}  // namespace dryfit::cli

int main(int argc, char** argv) {
  // A limit on the size of files is an error of the write that meets it.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return dryfit::cli::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    return dryfit::cli::fail({error.what(), "This should not have happened; please report it."},
                             dryfit::cli::kCouldNotTell);
  }
}
