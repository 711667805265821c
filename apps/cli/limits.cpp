// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "common_options.h"
#include "files.h"
#include "help.h"
#include "limits_answer.h"
#include "named_cards.h"
#include "report/limits_report.h"
#include "report/writes.h"
#include "run_options.h"
#include "screen.h"
#include "suggestions.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct LimitsOptions {
  TypedRunOptions run;
  std::string recording;  ///< a RUN or a trace; empty: a command is run
  bool no_dry_runs = false;
};

/// "python train.py", shortened to what fits on a line.
std::string subject_of(const LimitsOptions& options, const LimitsAnswer& answer) {
  if (!options.recording.empty()) return options.recording;
  return fmt::format("{}", fmt::join(answer.command, " "));
}

std::string json_of(const LimitsOptions& options, const LimitsAnswer& answer) {
  const OrderedJson json{{"dryfit", DRYFIT_VERSION},
                         {"command", answer.command},
                         {"recording", options.recording.empty() ? OrderedJson() : OrderedJson(options.recording)},
                         {"card", answer.verdict.card.id},
                         {"capacity_bytes", answer.verdict.capacity.count},
                         {"limits", report::limits_json(answer.verdict)}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

int deliver(const LimitsOptions& options, const LimitsAnswer& answer) {
  const auto& output = options.run.options.output;
  const auto json = json_of(options, answer);
  if (!output.empty()) {
    if (const auto status = write_atomically(output, json); !status) return fail(status.error(), kCouldNotTell);
  }
  const auto text = report::limits_text(answer.verdict, subject_of(options, answer), style_for(STDOUT_FILENO));
  const bool is_first = options.recording.empty();
  const auto note = report::writes_note(answer.verdict.writes, style_for(STDOUT_FILENO));
  if (!print(options.run.options.json ? json : (is_first ? "\n" : "") + text + note)) {
    return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  }
  return kSuccess;
}

Status check_source(const LimitsOptions& options, const std::vector<std::string>& command) {
  if (options.recording.empty() || command.empty()) return {};
  return Error{"a recording and a command can't be combined", "Leave out '" + options.recording + "' or the command."};
}

std::optional<LimitsAnswer> answer_to(const LimitsOptions& options, std::vector<std::string> command, int& exit_code) {
  const auto& run = options.run.options;
  if (!options.recording.empty()) {
    return limits_of_recording({.recording = options.recording, .gpus = run.gpus, .cards = run.cards}, exit_code);
  }
  const auto parsed = options.run.parse(std::move(command));
  if (!parsed) {
    exit_code = fail(parsed.error(), kWrongUsage);
    return std::nullopt;
  }
  return limits_of_command(*parsed, !options.no_dry_runs, exit_code);
}

int run(const LimitsOptions& options, std::vector<std::string> command) {
  if (const auto status = check_source(options, command); !status) return fail(status.error(), kWrongUsage);
  if (options.run.options.gpus.size() > 1) {
    return fail({"limits are for one GPU", "Name one GPU with --gpu, and run the command again for the others."},
                kWrongUsage);
  }
  int exit_code = kSuccess;
  const auto answer = answer_to(options, std::move(command), exit_code);
  return answer ? deliver(options, *answer) : exit_code;
}

void declare(CLI::App& command, LimitsOptions& options) {
  auto& typed = options.run;
  auto& o = typed.options;
  command
      .add_option("RUN", options.recording,
                  "Instead of a command: a folder kept by `dryfit run --save`; last, last~1, …; a memory snapshot "
                  "(pickle); a CPU trace (.json, .json.gz); or a JSON file with a job for `dryfit predict`")
      ->type_name("RUN");
  add_gpus_option(command, o.gpus, "GPU to find limits for, as listed by `dryfit gpus` (default: the recorded one)");
  command.add_flag("--no-dry-runs", options.no_dry_runs, "Don't confirm the limits by dry runs with a cap");
  typed.declare_extent(command);
  add_gpu_file_option(command, o.cards);
  command.add_option("--save", o.save, "Keep the run, for `dryfit report`, in this new folder")->type_name("DIR");
  command.add_flag("--json", o.json, "Print JSON instead of the report; the program's output goes to stderr");
  command.add_option("-o,--output", o.output, "Also write the JSON to this file")->type_name("FILE");
  typed.declare_jobs(command);
}

}  // namespace

void add_limits(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command = app.add_subcommand("limits", "Find the least memory that a job runs in, and how to limit it to that")
                      ->group(kAsk);
  command->formatter(std::make_shared<Help>("dryfit limits [OPTIONS] RUN | -- COMMAND..."));
  command->footer(
      "Examples:\n  dryfit limits --gpu rtx-3060-12gb -- python train.py\n"
      "  dryfit limits last\n  dryfit limits trace.json.gz --gpu a100-40gb\n\n"
      "A command is run once, and then with PyTorch's allocator capped at each whole percent of the GPU from the "
      "comfortable cap down, until it fails. A recording is replayed instead, in a second, and for a description you "
      "get the bound of the prediction.\n\n"
      "Exit code: 0 found limits, 3 the job does not fit at all, 2 wrong usage, 1 cannot tell.");
  auto options = std::make_shared<LimitsOptions>();
  declare(*command, *options);
  command->callback([options, &arguments, &exit_code] { exit_code = run(*options, arguments.after); });
}

}  // namespace dryfit::cli
