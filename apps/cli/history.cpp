// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/history.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands.h"
#include "common_options.h"
#include "files.h"
#include "history/record_json.h"
#include "history/times.h"
#include "history_place.h"
#include "own_environment.h"
#include "report/table.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using history::Record;

struct HistoryOptions {
  fs::path history;
  history::Filter filter;
  std::string since, before;
  fs::path out;
  bool all = false;
  bool json = false;
};

Status set_time(std::optional<std::int64_t>& time, const std::string& text) {
  if (text.empty()) return {};
  time = history::parse_time(text);
  return time ? Status() : Error{"'" + text + "' is not a time", "Write it like 2026-11-02 or 2026-11-02T09:35:00."};
}

/// Parses the typed times into the filter, and opens the history, which must exist.
Result<history::History> opened(HistoryOptions& options) {
  if (auto status = set_time(options.filter.since, options.since); !status) return status.error();
  if (auto status = set_time(options.filter.before, options.before); !status) return status.error();
  const auto file = existing_history(options.history, own_environment());
  if (!file) return file.error();
  options.history = *file;
  return history::History::open(*file);
}

std::vector<report::Cell> faint(std::vector<report::Cell> cells) {
  for (auto& cell : cells) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  return cells;
}

std::vector<report::Cell> heading() {
  using enum report::Align;
  return faint({{"when"},
                {"job"},
                {"host"},
                {"source"},
                {"GPU"},
                {"model"},
                {"kind"},
                {"peak", right},
                {"bound", right},
                {"outcome"}});
}

std::vector<report::Cell> short_heading() {
  using enum report::Align;
  return faint({{"when"}, {"GPU"}, {"kind"}, {"peak", right}, {"bound", right}, {"outcome"}});
}

std::string model_of(const Record& record) {
  const auto job = nlohmann::json::parse(record.job, nullptr, false);
  auto model = job.is_object() ? job.value("model", nlohmann::json()) : nlohmann::json();
  if (model.is_object()) model = model.value("name", nlohmann::json());
  return model.is_string() ? model.get<std::string>() : record.name;
}

std::string peak_text(const Record& record, const report::Style& style) {
  const bool failed = record.outcome == history::Outcome::out_of_memory;
  const std::string at_least = style.utf8 ? "≥ " : ">= ";
  return (failed ? at_least : "") + to_text(record.peak);
}

std::string bound_text(const Record& record) { return record.predicted ? to_text(record.predicted->upper) : ""; }

std::vector<report::Cell> row(const Record& record, const report::Style& style) {
  using enum report::Align;
  return {{history::time_text(record.when)},
          {record.job_id},
          {record.host},
          {record.source},
          {record.card},
          {model_of(record)},
          {std::string(to_text(record.kind))},
          {peak_text(record, style), right},
          {bound_text(record), right},
          {std::string(to_text(record.outcome))}};
}

std::vector<report::Cell> short_row(const Record& record, const report::Style& style) {
  using enum report::Align;
  return {{history::time_text(record.when)},   {record.card},
          {std::string(to_text(record.kind))}, {peak_text(record, style), right},
          {bound_text(record), right},         {std::string(to_text(record.outcome))}};
}

/// What a short row has no room for: "  job 4711 on g1, resnet50, from torch".
std::string second_line(const Record& record, const report::Style& style) {
  const auto model = model_of(record);
  const auto text = fmt::format("  job {} on {}{}, from {}", record.job_id, record.host,
                                model.empty() ? "" : ", " + model, record.source);
  return report::painted(text, report::Paint::faint, style) + "\n";
}

std::string narrow_table(const std::vector<Record>& records, const report::Style& style) {
  std::vector<std::vector<report::Cell>> rows{short_heading()};
  for (const auto& record : records) rows.push_back(short_row(record, style));
  std::istringstream lines(report::aligned(rows, style));
  std::string text, line;
  std::getline(lines, line);
  text = line + "\n";
  for (const auto& record : records) {
    std::getline(lines, line);
    text += line + "\n" + second_line(record, style);
  }
  return text;
}

std::size_t widest_line(const std::vector<std::vector<report::Cell>>& rows) {
  std::istringstream lines(report::aligned(rows, {.colour = false}));
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, report::width(line));
  return widest;
}

/// One line for each record; two on a terminal that is too narrow for the whole table.
std::string table_text(const std::vector<Record>& records) {
  const auto style = style_for(STDOUT_FILENO);
  std::vector<std::vector<report::Cell>> rows{heading()};
  for (const auto& record : records) rows.push_back(row(record, style));
  const bool is_too_wide = is_terminal(STDOUT_FILENO) && widest_line(rows) > columns_of(STDOUT_FILENO);
  return is_too_wide ? narrow_table(records, style) : report::aligned(rows, style);
}

std::string json_text(const HistoryOptions& options, const std::vector<Record>& records) {
  using Ordered = nlohmann::ordered_json;
  Ordered list = Ordered::array();
  for (const auto& record : records) list.push_back(Ordered::parse(history::to_line(record)));
  const Ordered json{{"dryfit", DRYFIT_VERSION}, {"history", options.history.string()}, {"records", std::move(list)}};
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

int list(HistoryOptions options) {
  auto history = opened(options);
  if (!history) return fail(history.error(), kWrongUsage);
  const auto records = history->find(options.filter);
  if (!records) return fail(records.error(), kCouldNotTell);
  if (!options.json && records->empty()) {
    const auto which = options.filter.is_empty() ? "records" : "matching records";
    return print(fmt::format("no {} in {}\n", which, options.history.string())) ? kSuccess : kCouldNotTell;
  }
  return print(options.json ? json_text(options, *records) : table_text(*records)) ? kSuccess : kCouldNotTell;
}

int export_records(HistoryOptions options) {
  auto history = opened(options);
  if (!history) return fail(history.error(), kWrongUsage);
  const auto records = history->find(options.filter);
  if (!records) return fail(records.error(), kCouldNotTell);
  std::string text;
  for (const auto& record : *records) text += history::to_line(record) + "\n";
  if (options.out.empty()) return print(text) ? kSuccess : kCouldNotTell;
  const auto status = write_atomically(options.out, text);
  return status ? kSuccess : fail(status.error(), kCouldNotTell);
}

int remove(HistoryOptions options) {
  auto history = opened(options);
  if (!history) return fail(history.error(), kWrongUsage);
  if (options.filter.is_empty() != options.all) {
    return fail({options.all ? "--all cannot be combined with a filter" : "no records selected",
                 "Give a filter such as --job-id or --before, or --all to remove everything."},
                kWrongUsage);
  }
  const auto removed = history->remove(options.filter);
  if (!removed) return fail(removed.error(), kCouldNotTell);
  const auto json = fmt::format("{{\"dryfit\":\"{}\",\"removed\":{}}}\n", DRYFIT_VERSION, *removed);
  return print(options.json ? json : fmt::format("removed {} record{}\n", *removed, *removed == 1 ? "" : "s"))
             ? kSuccess
             : kCouldNotTell;
}

void declare(CLI::App& command, HistoryOptions& o) {
  command.add_option("--history", o.history, "History to use (default: ~/.local/share/dryfit/history.db)")
      ->type_name("FILE");
  command.add_option("--job-id", o.filter.job_id, "Only the job with this ID")->type_name("ID");
  command.add_option("--name", o.filter.name, "Only jobs with this name")->type_name("TEXT");
  command.add_option("--host", o.filter.host, "Only jobs from this host")->type_name("NAME");
  command.add_option("--source", o.filter.source, "Only measurements from this source: torch, slurm, prometheus, …")
      ->type_name("NAME");
  command.add_option("--gpu", o.filter.card, "Only jobs on this GPU, by the ID in the list")->type_name("ID");
  command
      .add_option("--since", o.since, "Only jobs that ended at this time or later: 2026-11-02 or 2026-11-02T09:35:00")
      ->type_name("TIME");
  command.add_option("--before", o.before, "Only jobs that ended before this time")->type_name("TIME");
}

/// A subcommand of `dryfit history` with options of its own.
std::pair<CLI::App*, std::shared_ptr<HistoryOptions>> part(CLI::App& history, const char* name, const char* what,
                                                           int (*run)(HistoryOptions), int& exit_code) {
  auto* command = history.add_subcommand(name, what)->group("Commands");
  auto options = std::make_shared<HistoryOptions>();
  declare(*command, *options);
  command->callback([options, run, &exit_code] { exit_code = run(*options); });
  return {command, options};
}

}  // namespace

void add_history(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("history", "List, export or remove what `dryfit observe` recorded")->group(kSite);
  command->require_subcommand(1);
  command->footer(
      "Examples:\n  dryfit history list --gpu rtx-4090-24gb --since 2026-11-01\n"
      "  dryfit history export --out jobs.jsonl\n  dryfit history remove --before 2025-01-01\n\n"
      "`dryfit observe` on another machine reads an export.");
  auto [listing, list_options] = part(*command, "list", "List the records as a table", list, exit_code);
  listing->add_flag("--json", list_options->json, "Print JSON");
  listing->footer("Examples:\n  dryfit history list --source slurm --json");
  auto [exporting, export_options] =
      part(*command, "export", "Export the records, one line of JSON for each", export_records, exit_code);
  exporting->add_option("--out", export_options->out, "File to write (default: standard output)")->type_name("FILE");
  exporting->footer("Examples:\n  dryfit history export --out jobs.jsonl");
  auto [removing, remove_options] = part(*command, "remove", "Remove records", remove, exit_code);
  removing->add_flag("--all", remove_options->all, "Remove all records");
  removing->add_flag("--json", remove_options->json, "Print JSON");
  removing->footer("Examples:\n  dryfit history remove --job-id 4711");
}

}  // namespace dryfit::cli
