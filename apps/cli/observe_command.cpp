// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "observe_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "command_run.h"
#include "commands.h"
#include "history/history.h"
#include "observe_record.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

constexpr int kNotStarted = 127;

/// A Slurm job may run several commands.
Defaults defaults_of_run(const Surroundings& around) {
  auto defaults = own_defaults(around.environment);
  defaults.job_id =
      fmt::format("{}-{}-{}", defaults.job_id.empty() ? "run" : defaults.job_id, defaults.now, ::getpid());
  return defaults;
}

/// Rejects options that do not apply to a command, and finds now what would otherwise fail only after hours of running.
Status check_before(const ObserveOptions& options, const Surroundings& around) {
  if (!options.file.empty() || !options.format.empty() || !options.peak.empty() || !options.remarks.kind.empty()) {
    return Error{"FILE, --format, --peak and --kind cannot be combined with a command",
                 "A command is measured as it runs: leave them out."};
  }
  std::vector<history::Record> any{{.source = "nvml", .peak = Bytes{1}}};
  if (auto status = complete(any, options.remarks, defaults_of_run(around), "", around.catalogue); !status) {
    return status;
  }
  if (const auto history = history::History::open(around.history); !history) return history.error();
  return {};
}

/// The message after a command has run. It goes to stderr: stdout is the command's.
Result<std::string> record_command(const ObserveOptions& options, const Surroundings& around, const CommandRun& ran) {
  if (!options.any_ending && !reached_its_peak(ran)) {
    return Error{
        fmt::format("the command failed with code {}, perhaps before its peak; nothing was recorded", ran.code),
        "Add --any-ending to record such a command too."};
  }
  if (!ran.record) return ran.record.error();
  Tally tally{around.history, {.records = {*ran.record}, .left_out = {}}};
  auto& record = tally.imported.records.front();
  const auto measured =
      fmt::format("measured {} ({}) but did not record it: ", to_text(record.peak), history::to_text(record.kind));
  const auto status = complete(tally.imported.records, options.remarks, defaults_of_run(around), "", around.catalogue);
  if (!status) return Error{measured + status.error().what, status.error().hint};
  const auto line = fmt::format("peak {} on {} ({}, from {}, {})\n", to_text(record.peak),
                                record.card.empty() ? "an unknown GPU" : record.card, history::to_text(record.kind),
                                record.source, history::to_text(record.outcome));
  const auto text = recorded(std::move(tally), options.json);
  if (!text) return Error{measured + text.error().what, text.error().hint};
  return options.json ? *text : line + *text;
}

}  // namespace

int observe_command(ObserveOptions options, const std::vector<std::string>& command) {
  if (command.empty()) {
    return fail({"no command after --", "Put it there: `dryfit observe -- python train.py`."}, kWrongUsage);
  }
  const auto around = surroundings(options);
  if (!around) return fail(around.error(), kWrongUsage);
  if (const auto status = check_before(options, *around); !status) return fail(status.error(), kWrongUsage);
  const auto ran = run_measured(command, around->environment);
  if (!ran) return fail(ran.error(), kNotStarted);
  const auto message = record_command(options, *around, *ran);
  if (!message) return fail(message.error(), ran->code);
  std::cerr << *message;
  return ran->code;
}

}  // namespace dryfit::cli
