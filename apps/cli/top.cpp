// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "explain/shares.h"
#include "explained_run.h"
#include "report/explanation.h"
#include "screen.h"

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
      return fail({"there is no table by '" + options.by + "'", "Give --by module, line, operator or category."},
                  kWrongUsage);
    }
    kinds = {*by};
  }
  const auto run = explain_run(options.run, options.gpu);
  if (!run) return fail(run.error(), kWrongUsage);
  const auto text = options.json ? report::explanation_json(run->explanation, options.limit).dump() + "\n"
                                 : tables(run->explanation, options, kinds);
  if (!print(text)) return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  return kSuccess;
}

}  // namespace

void add_top(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("top", "Show what holds most memory at a run's peak: modules, lines, operators");
  command->footer(
      "Example:\n  dryfit run --gpu a100-40gb -- python train.py\n"
      "  dryfit top                          # of the last run\n"
      "  dryfit top last~1 --by line         # of the one before it\n"
      "  dryfit top myrun --by module --each --limit 0 --json\n\n"
      "Exit code: 0, or 2 where there is no such run.");
  auto options = std::make_shared<TopOptions>();
  command
      ->add_option("RUN", options->run,
                   "A folder kept by `dryfit run --save`, last, last~1 …, or a memory snapshot (pickle)")
      ->type_name("RUN")
      ->capture_default_str();
  command->add_option("--gpu", options->gpu, "The card, where the run was on several")->type_name("NAME");
  command->add_option("--by", options->by, "Only one table: module, line, operator or category")->type_name("WHAT");
  command->add_option("--limit", options->limit, "Rows of a table; 0: all")->type_name("N")->capture_default_str();
  command->add_option("--depth", options->depth, "Only so many parts of a module's path")->type_name("N");
  command->add_flag("--each", options->each, "Tell modules of a list apart: h.0 and h.1, not h.*");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] { exit_code = top(*options); });
}

}  // namespace dryfit::cli
