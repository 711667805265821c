// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "history/history.h"
#include "history/record_json.h"
#include "history_place.h"
#include "launch/environment.h"
#include "observation.h"
#include "own_environment.h"
#include "resources.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeeHelp = "See: dryfit observe --help";
const Error kNoCommand{"`dryfit observe` runs no command",
                       "Have the program write torch.cuda.memory_stats() as JSON at its end, and give that file."};

/// What `dryfit observe` was asked to do, as typed.
struct ObserveOptions {
  fs::path file;  ///< "-": stdin; empty: the values are typed
  std::string format;
  std::string peak;
  fs::path job_file;
  fs::path prediction_file;
  Remarks remarks;
  fs::path history;
  std::vector<fs::path> cards;
  bool json = false;
};

Result<std::string> content_of(const fs::path& path) {
  if (path == "-") return std::string{std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || fs::is_directory(path, ignored)) return Error{"cannot read '" + path.string() + "'", kSeeHelp};
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

Status read_into(std::string& text, const fs::path& path) {
  if (path.empty()) return {};
  auto content = content_of(path);
  if (!content) return content.error();
  text = std::move(content).value();
  if (text.empty()) return Error{"'" + path.string() + "' is empty", kSeeHelp};
  return {};
}

Defaults own_defaults(const launch::Environment& environment, bool is_typed) {
  Defaults defaults{.job_id = std::string(launch::value_of(environment, "SLURM_JOB_ID").value_or("")),
                    .name = std::string(launch::value_of(environment, "SLURM_JOB_NAME").value_or("")),
                    .host = {},
                    .now = std::time(nullptr)};
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) defaults.host = name.data();
  if (is_typed && defaults.job_id.empty()) defaults.job_id = fmt::format("typed-{}-{}", defaults.now, ::getpid());
  return defaults;
}

Result<history::Imported> imported(const ObserveOptions& options, const std::string& content,
                                   const Catalogue& catalogue) {
  if (options.file.empty()) return typed_observation(options.peak, options.remarks, catalogue);
  if (!options.peak.empty()) return Error{"there is a file and a --peak", "Give one of them."};
  const auto format = options.format.empty() ? history::recognise(content) : history::parse_format(options.format);
  if (!format) return format.error();
  auto kind = history::PeakKind::reserved;
  if (!options.remarks.kind.empty()) {
    if (*format != history::Format::torch_statistics) {
      return Error{"--kind does not go with this file: it says itself what it measures", kSeeHelp};
    }
    const auto asked = history::parse_kind(options.remarks.kind);
    if (!asked) return asked.error();
    kind = *asked;
  }
  return history::import_content(content, *format, kind);
}

struct Tally {
  fs::path history;
  history::Imported imported;
  std::size_t added = 0;
};

std::string json_text(const Tally& tally) {
  using Json = nlohmann::ordered_json;
  Json records = Json::array();
  for (const auto& record : tally.imported.records) records.push_back(Json::parse(history::to_line(record)));
  const Json json{{"dryfit", DRYFIT_VERSION},
                  {"history", tally.history.string()},
                  {"new", tally.added},
                  {"there_before", tally.imported.records.size() - tally.added},
                  {"left_out", tally.imported.left_out},
                  {"records", std::move(records)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string plain_text(const Tally& tally) {
  auto text = fmt::format("jobs recorded in {}: {}; there before: {}\n", tally.history.string(), tally.added,
                          tally.imported.records.size() - tally.added);
  for (const auto& [why, count] : tally.imported.left_out) text += fmt::format("left out, {}: {}\n", why, count);
  return text;
}

int record(const ObserveOptions& options, Tally tally) {
  auto history = history::History::open(tally.history);
  if (!history) return fail(history.error(), kCouldNotTell);
  const auto added = history->add(tally.imported.records);
  if (!added) return fail(added.error(), kCouldNotTell);
  tally.added = *added;
  return print(options.json ? json_text(tally) : plain_text(tally)) ? kSuccess : kCouldNotTell;
}

int observe(ObserveOptions options) {
  const auto environment = own_environment();
  const auto place = history_file(options.history, environment);
  if (!place) return fail(place.error(), kWrongUsage);
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  std::string content;
  for (auto [text, path] : {std::pair(&content, &options.file), std::pair(&options.remarks.job, &options.job_file),
                            std::pair(&options.remarks.prediction, &options.prediction_file)}) {
    if (const auto status = read_into(*text, *path); !status) return fail(status.error(), kWrongUsage);
  }
  auto found = imported(options, content, *catalogue);
  const auto name = options.file.empty() ? std::string() : options.file.string() + ": ";
  if (!found) return fail({name + found.error().what, found.error().hint}, kWrongUsage);
  const auto defaults = own_defaults(environment, options.file.empty());
  const auto status = complete(found->records, options.remarks, defaults, content, *catalogue);
  if (!status) return fail({name + status.error().what, status.error().hint}, kWrongUsage);
  return record(options, {*place, std::move(found).value()});
}

void declare_prediction(CLI::App& command, ObserveOptions& o) {
  auto& r = o.remarks;
  command.add_option("--median", r.median, "What had been predicted")->type_name("SIZE");
  command.add_option("--upper", r.upper, "The upper bound that had been predicted")->type_name("SIZE");
  command.add_option("--coverage", r.coverage, "How often that bound was to hold")
      ->type_name("X")
      ->capture_default_str();
  command.add_option("--predicted-kind", r.predicted_kind, "Which memory was predicted, as --kind")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--model-file", r.model_file, "The model file that predicted it")->type_name("FILE");
  command
      .add_option("--predicted", o.prediction_file,
                  "An answer of `dryfit predict --json`, or JSON with median_bytes, upper_bytes and coverage, instead of "
                  "the options before")
      ->type_name("FILE");
}

void declare(CLI::App& command, ObserveOptions& o) {
  auto& r = o.remarks;
  command.add_option("FILE", o.file, "The output of whatever measured the job (docs/observe.md); -: standard input");
  command
      .add_option("--format", o.format,
                  "torch-stats, snapshot, nvidia-smi, sacct, prometheus, dryfit-run, harvest or history (default: "
                  "recognised)")
      ->type_name("FORMAT");
  command.add_option("--peak", o.peak, "The most memory it took, without a file: 11.2GiB")->type_name("SIZE");
  command.add_option("--kind", r.kind, "Which memory that is: allocated, reserved, beside-context or device")
      ->type_name("KIND");
  command.add_option("--job", o.job_file, "A JSON file that describes the job, as `job` in docs/harvest.md")
      ->type_name("FILE");
  command.add_option("--gpu", r.gpu, "The card it ran on, as in `dryfit gpus`")->type_name("NAME");
  command.add_option("--outcome", r.outcome, "ok, or oom: it ran out of memory (default: as the file says, else ok)")
      ->type_name("WORD");
  command.add_option("--job-id", r.job_id, "Of several jobs in the file this one; else what the job is to be called")
      ->type_name("ID");
  command.add_option("--name", r.name, "A name of your own for the job")->type_name("TEXT");
  command.add_option("--host", r.host, "Where it ran (default: as the file says, else this machine)")
      ->type_name("NAME");
  command.add_option("--when", r.when, "When it ended: 2026-11-02T09:35:00 (default: as the file says, else now)")
      ->type_name("TIME");
  command.add_option("--step-time", r.step_seconds, "Seconds of a training step")->type_name("SECONDS");
  command.add_option("--tflops", r.tflops, "What it computed, 10^12 operations a second")->type_name("X");
  command.add_option("--software", r.software, "A version: torch=2.6.0; may be given again")
      ->type_name("NAME=VERSION")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  declare_prediction(command, o);
  command.add_option("--history", o.history, "The history to record into (default: ~/.local/share/dryfit/history.db)")
      ->type_name("FILE");
  command.add_option("--cards", o.cards, "A card file of your own, or a folder of them")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--json", o.json, "Print JSON");
}

}  // namespace

void add_observe(CLI::App& app, const Arguments& arguments, int& exit_code) {
  auto* command = app.add_subcommand("observe", "Record what a job really used");
  command->footer(
      "Example:\n  dryfit observe memory-stats.json --job job.json --gpu rtx-4090\n"
      "  dryfit observe --peak 11.2GiB --kind reserved --job job.json --gpu rtx-4090 --median 10GiB --upper 12GiB\n"
      "  sacct --parsable2 -o JobID,JobName,State,End,NodeList,AllocTRES,TRESUsageInMax | dryfit observe -\n\n"
      "A job that is in the history already, from the same host and source, is passed over.\n"
      "Exit code: 0 recorded, 2 wrong usage or a file that cannot be understood, 1 the history cannot be written.");
  auto options = std::make_shared<ObserveOptions>();
  declare(*command, *options);
  command->callback([options, &arguments, &exit_code] {
    exit_code = arguments.dashes ? fail(kNoCommand, kWrongUsage) : observe(*options);
  });
}

}  // namespace dryfit::cli
