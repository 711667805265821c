// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "commands.h"
#include "common_options.h"
#include "explained_run.h"
#include "files.h"
#include "report/exports.h"
#include "run_note.h"
#include "screen.h"
#include "snapshot/writer.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

using explain::By;

struct ExportOptions {
  std::string run = "last";
  std::string gpu;
  std::string format;
  std::string by = "module";
  std::filesystem::path output;
};

Status check_words(const ExportOptions& options) {
  const std::set<std::string> formats{"perfetto", "snapshot", "csv", "folded"};
  const std::set<std::string> stacks{"module", "line"};
  if (!formats.contains(options.format)) {
    return unknown_word("format", options.format, formats, "Give --format perfetto, snapshot, csv or folded.");
  }
  if (!stacks.contains(options.by)) return unknown_word("stacks", options.by, stacks, "Give --by module or line.");
  return {};
}

std::string exported(const ExplainedRun& run, const ExportOptions& options) {
  const auto& explanation = run.explanation;
  if (options.format == "perfetto") return report::to_chrome_trace(explanation);
  if (options.format == "snapshot") return snapshot::to_pickle(report::annotated(run.snapshot, explanation));
  if (options.format == "csv") return report::to_csv(explanation);
  return report::to_folded(explanation, options.by == "line" ? By::line : By::module);
}

/// The other formats are lines that one may want to see.
Status check_screen(const ExportOptions& options) {
  const bool is_for_tools = options.format == "perfetto" || options.format == "snapshot";
  if (!is_for_tools || !options.output.empty() || ::isatty(STDOUT_FILENO) == 0) return {};
  return Error{"the format '" + options.format + "' is for a tool, and stdout is a terminal",
               "Give a file, such as -o run." + std::string(options.format == "perfetto" ? "json" : "pickle") + "."};
}

int run_export(const ExportOptions& options) {
  if (const auto status = check_words(options); !status) return fail(status.error(), kWrongUsage);
  if (const auto status = check_screen(options); !status) return fail(status.error(), kWrongUsage);
  if (!options.output.empty()) {
    if (const auto status = check_writable(options.output); !status) return fail(status.error(), kWrongUsage);
  }
  const auto run = explain_run(options.run, options.gpu);
  if (!run) return fail(run.error(), code_of(run.error()));
  print_note_on_run(options.run);
  const auto text = exported(*run, options);
  if (options.output.empty()) {
    return print(text) ? kSuccess : fail({"cannot write to stdout", ""}, kCouldNotTell);
  }
  const auto status = write_atomically(options.output, text);
  return status ? kSuccess : fail(status.error(), kCouldNotTell);
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("export", "Export a run's memory in another tool's format")->group(kLook);
  command->footer(
      "Formats:\n"
      "  perfetto   memory by category over time, with steps and phases; open it at ui.perfetto.dev or "
      "chrome://tracing\n"
      "  snapshot   PyTorch's memory snapshot with categories and modules on its stacks, for memory_viz\n"
      "  csv        one row per allocation\n"
      "  folded     stacks at the peak, for flame graphs; --by module or line\n\n"
      "Examples:\n  dryfit export --format perfetto -o run.json   # the last run\n"
      "  dryfit export myrun --format folded --by line | flamegraph.pl > peak.svg\n\n"
      "Exit code: 0 written, 1 cannot write or the run is damaged, 2 wrong usage.");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("RUN", options->run, kRunText)->type_name("RUN")->capture_default_str();
  command->add_option("--format", options->format, "Format: perfetto, snapshot, csv or folded")
      ->required()
      ->type_name("WHAT");
  command->add_option("-o,--output", options->output, "File to write (default: stdout)")->type_name("FILE");
  command->add_option("--by", options->by, "Stacks of the folded format: module or line")
      ->type_name("WHAT")
      ->capture_default_str();
  command->add_option("--gpu", options->gpu, "GPU to export, if the run was on several")->type_name("NAME");
  command->callback([options, &exit_code] { exit_code = run_export(*options); });
}

}  // namespace dryfit::cli
