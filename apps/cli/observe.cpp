// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "commands.h"
#include "common_options.h"
#include "help.h"
#include "observe_command.h"
#include "observe_options.h"
#include "observe_record.h"
#include "screen.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

Result<history::Imported> imported(const ObserveOptions& options, const std::string& content,
                                   const Catalogue& catalogue) {
  if (options.file.empty()) return typed_observation(options.peak, options.remarks, catalogue);
  if (!options.peak.empty()) return Error{"FILE and --peak cannot be combined", "Give one of them."};
  const auto format = options.format.empty() ? history::recognise(content) : history::parse_format(options.format);
  if (!format) return format.error();
  auto kind = history::PeakKind::reserved;
  if (!options.remarks.kind.empty()) {
    if (*format != history::Format::torch_statistics) {
      return Error{"--kind cannot be combined with this file, which states what it measures", "Leave out --kind."};
    }
    const auto given = history::parse_kind(options.remarks.kind);
    if (!given) return given.error();
    kind = *given;
  }
  return history::import_content(content, *format, kind);
}

Error not_the_output(const std::string& script) {
  return {"'" + script + "' is a script, not the output of a tool that measured a job",
          did_you_mean(TypedLine::own().with_word(script, {"--", "python", script}))};
}

int observe(ObserveOptions options) {
  auto around = surroundings(options);
  if (!around) return fail(around.error(), kWrongUsage);
  const auto& [environment, place, catalogue] = *around;
  if (options.file.extension() == ".py") return fail(not_the_output(options.file.string()), kWrongUsage);
  std::string content;
  if (const auto status = read_into(content, options.file); !status) return fail(status.error(), kWrongUsage);
  auto found = imported(options, content, catalogue);
  const auto name = options.file.empty() ? std::string() : options.file.string() + ": ";
  if (!found) return fail({name + found.error().what, found.error().hint}, kWrongUsage);
  auto defaults = own_defaults(environment);
  if (options.file.empty() && defaults.job_id.empty()) {
    defaults.job_id = fmt::format("typed-{}-{}", defaults.now, ::getpid());
  }
  const auto status = complete(found->records, options.remarks, defaults, content, catalogue);
  if (!status) return fail({name + status.error().what, status.error().hint}, kWrongUsage);
  const auto text = recorded({place, std::move(found).value()}, options.json);
  if (!text) return fail(text.error(), kCouldNotTell);
  return print(*text) ? kSuccess : kCouldNotTell;
}

}  // namespace

void add_observe(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command = app.add_subcommand("observe", "Record how much memory a job really used")->group(kSite);
  command->formatter(std::make_shared<Help>("dryfit observe [OPTIONS] [FILE | -- COMMAND...]"));
  command->footer(
      "Examples:\n  dryfit observe --predicted answer.json -- python train.py\n"
      "  dryfit observe memory-stats.json --job job.json --gpu rtx-4090\n"
      "  dryfit observe --peak 11.2GiB --kind reserved --job job.json --gpu rtx-4090 --median 10GiB --upper 12GiB\n"
      "  sacct -P -o JobID,JobName,State,End,NodeList,AllocTRES,TRESUsageInMax | dryfit observe -\n\n"
      "A command after -- runs unchanged on this machine's GPUs and is measured through NVML and PyTorch. A job that "
      "is "
      "already in the history, from the same host and source, is skipped.\n\n"
      "Exit code: 0 recorded, 2 wrong usage or unreadable file, 1 the history cannot be written. With a command: its "
      "own exit code, or 127 if it cannot be started.");
  auto options = std::make_shared<ObserveOptions>();
  declare(*command, *options);
  command->callback([options, &arguments, &exit_code] {
    exit_code = arguments.dashes ? observe_command(*options, arguments.after) : observe(*options);
  });
}

}  // namespace dryfit::cli
