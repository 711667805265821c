// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "common_options.h"
#include "explain/shares.h"
#include "explained_run.h"
#include "report/explanation.h"
#include "run_note.h"
#include "screen.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

using explain::By;

constexpr std::size_t kAllRows = ~std::size_t{0};

struct TopOptions {
  std::string run = "last";
  std::string gpu;
  std::string by;  ///< empty: all
  std::size_t limit = 10;
  std::optional<std::size_t> depth;
  bool each = false;
  bool json = false;
};

std::string tables(const explain::Explanation& explanation, const TopOptions& options, const std::vector<By>& kinds) {
  const auto style = style_for(STDOUT_FILENO);
  auto text = report::explanation_text(explanation, 0, style);
  const auto limit = options.limit == 0 ? kAllRows : options.limit;
  for (const auto by : kinds) {
    text += report::shares_text(explanation, {.by = by, .each = options.each, .depth = options.depth}, limit, style);
  }
  return text;
}

int top(const TopOptions& options) {
  std::vector<By> kinds{By::module, By::line, By::op};
  if (!options.by.empty()) {
    const auto by = explain::parse_by(options.by);
    if (!by) {
      return fail(unknown_word("table", options.by, {"module", "line", "operator", "category"},
                               "Give --by module, line, operator or category."),
                  kWrongUsage);
    }
    kinds = {*by};
  }
  const auto run = explain_run(options.run, options.gpu);
  if (!run) return fail(run.error(), code_of(run.error()));
  if (!options.json) print_note_on_run(options.run);
  const auto text = options.json ? report::explanation_json(run->explanation, options.limit).dump() + "\n"
                                 : tables(run->explanation, options, kinds);
  if (!print(text)) return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  return kSuccess;
}

}  // namespace

void add_top(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("top", "Show what uses the most memory at a run's peak: modules, lines, operators")
                      ->group(kLook);
  command->footer(
      "Examples:\n  dryfit top                    # the last run\n"
      "  dryfit top last~1 --by line   # the one before it\n"
      "  dryfit top myrun --by module --each --limit 0\n\n"
      "Exit code: 0, 1 if the run is damaged, 2 if there is no such run.");
  auto options = std::make_shared<TopOptions>();
  command->add_option("RUN", options->run, kRunText)->type_name("RUN")->capture_default_str();
  command->add_option("--gpu", options->gpu, "GPU to show, if the run was on several")->type_name("NAME");
  command->add_option("--by", options->by, "Show only one table: module, line, operator or category")
      ->type_name("WHAT");
  command->add_option("--limit", options->limit, "Rows per table; 0 for all")->type_name("N")->capture_default_str();
  command->add_option("--depth", options->depth, "Levels of a module's path to show (default: all)")->type_name("N");
  command->add_flag("--each", options->each, "Show the modules of a list separately: h.0 and h.1 instead of h.*");
  command->add_flag("--json", options->json, "Print JSON instead of the tables");
  command->callback([options, &exit_code] { exit_code = top(*options); });
}

}  // namespace dryfit::cli
