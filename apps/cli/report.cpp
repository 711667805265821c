// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "common_options.h"
#include "explained_run.h"
#include "files.h"
#include "kept_runs.h"
#include "notice.h"
#include "own_environment.h"
#include "report/page.h"
#include "report/style.h"
#include "run_manifest.h"
#include "run_note.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerdictFile = "verdict.json";
constexpr const char* kStdout = "-";

struct ReportOptions {
  std::string run = "last";
  fs::path output = "dryfit-report.html";
};

/// What a run left: the verdict, and an explanation per card that has a history.
struct KeptReport {
  std::string verdict;  ///< empty: there is none
  std::vector<ExplainedRun> runs;
  std::string opens_with;            ///< the card whose folder was named; empty: all cards were
  std::optional<Error> unexplained;  ///< why the first card without an explanation has none
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The ids of the cards in a verdict, and so the names of their folders; none when it cannot be read.
std::vector<std::string> cards_of(const std::string& verdict) {
  std::vector<std::string> ids;
  const auto json = nlohmann::json::parse(verdict, nullptr, false);
  if (!json.is_object() || !json.contains("results")) return ids;
  for (const auto& result : json["results"]) ids.push_back(result.value("card", ""));
  return ids;
}

/// A run without a history has no explanation; what is damaged gives no report at all.
Status explain_into(KeptReport& report, const fs::path& folder) {
  auto run = explain_folder(folder);
  if (run) {
    report.runs.push_back(std::move(run).value());
    return {};
  }
  if (run.error().is_damage) return run.error();
  if (!report.unexplained) report.unexplained = run.error();
  return {};
}

/// All cards of a run; with one card's folder that card, beside the verdict on all; or a snapshot without a verdict.
Result<KeptReport> read_report(const fs::path& path, const std::string& name) {
  if (const auto status = check_run(path); !status) return status.error();
  KeptReport report{.verdict = text_of(path / kVerdictFile)};
  if (!report.verdict.empty()) {
    for (const auto& card : cards_of(report.verdict)) {
      if (const auto status = explain_into(report, path / card); !status) return status.error();
    }
    return report;
  }
  auto run = explain_run(name, "");
  if (!run) return run.error();
  const auto above = fs::absolute(run->history).parent_path().parent_path();
  report.verdict = text_of(above / kVerdictFile);
  const auto cards = cards_of(report.verdict);
  if (std::ranges::find(cards, run->explanation.card) == cards.end()) report.verdict.clear();
  report.opens_with = run->explanation.card;
  report.runs.push_back(std::move(run).value());
  return report;
}

/// "python train.py --batch-size 8 · Dryfit"; without a command the file's name.
std::string title_of(const KeptReport& report) {
  const auto json = nlohmann::json::parse(report.verdict, nullptr, false);
  std::string title;
  if (json.is_object()) {
    for (const auto& word : json.value("command", std::vector<std::string>())) title += word + " ";
  } else if (!report.runs.empty()) {
    title = report.runs.front().history.filename().string() + " ";
  }
  return title + "· Dryfit";
}

int write_report(const ReportOptions& options) {
  const auto path = named_run(options.run, own_environment());
  if (!path) return fail(path.error(), kWrongUsage);
  auto notice = std::make_optional<Notice>("reading " + path->string());
  const auto kept = read_report(*path, options.run);
  notice.reset();
  if (!kept) return fail(kept.error(), code_of(kept.error()));
  print_note_on_run(options.run);
  report::PageContents contents{.title = title_of(*kept), .verdict = kept->verdict};
  for (const auto& run : kept->runs) contents.explanations.push_back(&run.explanation);
  contents.opens_with = kept->opens_with;
  const auto html = report::page_html(contents);
  if (options.output == kStdout) return print(html) ? kSuccess : kCouldNotTell;
  if (const auto status = check_writable(options.output); !status) return fail(status.error(), kWrongUsage);
  if (const auto status = write_atomically(options.output, html); !status) return fail(status.error(), kCouldNotTell);
  if (kept->runs.empty() && kept->unexplained)
    fmt::print(stderr, "dryfit: no charts: {}\n", report::printable(kept->unexplained->what));
  const auto text = fmt::format("wrote {} ({}); open it in a browser\n", report::printable(options.output.string()),
                                to_text(Bytes{html.size()}));
  return print(text) ? kSuccess : kCouldNotTell;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("report", "Write a page that shows where a run's memory went")->group(kLook);
  command->footer(
      "Examples:\n  dryfit report                       # the last run, to dryfit-report.html\n"
      "  dryfit report myrun -o myrun.html   # a run kept by `dryfit run --save`\n\n"
      "The page is one HTML file that loads nothing from the network.\n\n"
      "Exit code: 0 written, 1 cannot write or the run is damaged, 2 wrong usage or no such run.");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("RUN", options->run, kRunText)->type_name("RUN")->capture_default_str();
  command->add_option("-o,--output", options->output, "File to write; - is stdout")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = write_report(*options); });
}

}  // namespace dryfit::cli
