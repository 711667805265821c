// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>

#include "commands.h"
#include "common_options.h"
#include "explain/difference.h"
#include "explained_run.h"
#include "report/difference.h"
#include "run_note.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

constexpr std::size_t kAllRows = ~std::size_t{0};

struct DiffOptions {
  std::string before;
  std::string after;
  std::string gpu;
  std::size_t limit = 10;
  bool json = false;
  bool markdown = false;
};

std::string text_of(const explain::Difference& difference, const DiffOptions& options) {
  const auto limit = options.limit == 0 ? kAllRows : options.limit;
  if (options.json) return report::difference_json(difference);
  if (options.markdown) return report::difference_markdown(difference, limit);
  return report::difference_text(difference, limit, style_for(STDOUT_FILENO));
}

int diff(const DiffOptions& options) {
  const auto before = explain_run(options.before, options.gpu);
  if (!before) return fail(before.error(), code_of(before.error()));
  const auto after = explain_run(options.after, options.gpu);
  if (!after) return fail(after.error(), code_of(after.error()));
  if (!options.json) {
    print_note_on_run(options.before);
    print_note_on_run(options.after);
  }
  const auto difference = explain::difference_of(before->explanation, after->explanation);
  if (!print(text_of(difference, options))) return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  return kSuccess;
}

}  // namespace

void add_diff(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("diff", "Compare the memory of two runs by owner")->group(kLook);
  command->footer(
      "Examples:\n  dryfit diff last~1 last   # the last two runs\n"
      "  dryfit diff main-run my-branch-run --markdown > comment.md\n\n"
      "Exit code: 0, 1 if the run is damaged, 2 if there is no such run.");
  auto options = std::make_shared<DiffOptions>();
  command->add_option("BEFORE", options->before, kRunText)->required()->type_name("RUN");
  command->add_option("AFTER", options->after, "The run to compare with it, as for BEFORE")
      ->required()
      ->type_name("RUN");
  command->add_option("--gpu", options->gpu, "GPU to compare, if the runs were on several")->type_name("NAME");
  command->add_option("--limit", options->limit, "Rows per table; 0 for all")->type_name("N")->capture_default_str();
  auto* markdown = command->add_flag("--markdown", options->markdown, "Print Markdown, for a pull request");
  command->add_flag("--json", options->json, "Print JSON instead of the tables")->excludes(markdown);
  command->callback([options, &exit_code] { exit_code = diff(*options); });
}

}  // namespace dryfit::cli
