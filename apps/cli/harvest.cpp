// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "commands.h"
#include "common_options.h"
#include "duration.h"
#include "harvest_counts.h"
#include "harvest_file.h"
#include "harvest_grid.h"
#include "harvest_models.h"
#include "harvest_run.h"
#include "harvest_slurm.h"
#include "launch/command.h"
#include "named_cards.h"
#include "own_environment.h"
#include "resources.h"
#include "screen.h"
#include "slurm_queue.h"

namespace dryfit::cli {
namespace {

constexpr const char* kBuiltInGrid = "_dryfit_harvest/grid.toml";

/// The options that belong to --on slurm.
struct SlurmOptions {
  std::string on = "local";
  std::size_t tasks = 8;
  SlurmRequest request;
  bool no_wait = false;
  std::vector<const CLI::Option*> own;  ///< those that only apply there
};

/// The options of `dryfit harvest`, as typed.
struct HarvestOptions {
  std::filesystem::path out;
  std::filesystem::path grid;  ///< empty: the built-in one
  std::string python = "python";
  std::vector<std::string> gpus;  ///< instead of the grid's
  std::vector<std::filesystem::path> cards;
  std::size_t jobs = 0;   ///< 0: one per core
  std::size_t limit = 0;  ///< 0: none
  std::string timeout = "10m";
  bool afresh = false;
  bool without_layers = false;
  bool list_models = false;
  bool dry = false;
  SlurmOptions slurm;
};

/// Replaces the names of cards by their ids, so that two names of the same card make one job.
Status name_cards(std::vector<JobProduct>& products, const Catalogue& catalogue, const std::vector<std::string>& gpus) {
  for (auto& product : products) {
    const auto cards = named_cards(catalogue, gpus.empty() ? product.cards : gpus);
    if (!cards) return cards.error();
    product.cards.clear();
    for (const auto* card : *cards) product.cards.push_back(card->card.id);
  }
  return {};
}

Result<std::vector<HarvestJob>> jobs_of(const HarvestOptions& options, const Resources& resources,
                                        const Catalogue& catalogue, const ModelCatalogue& models) {
  const bool own = !options.grid.empty();
  auto products = read_grid(own ? options.grid : resources.hooks / kBuiltInGrid);
  if (!products) return products.error();
  if (const auto status = name_cards(*products, catalogue, options.gpus); !status) return status.error();
  return expand(*products, models, own);
}

std::size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }

std::vector<HarvestJob> not_yet_in(const HarvestFile& file, const std::vector<HarvestJob>& jobs,
                                   const std::string& torch) {
  std::vector<HarvestJob> left;
  std::ranges::copy_if(jobs, std::back_inserter(left),
                       [&](const HarvestJob& job) { return !file.contains(key_of(job, torch)); });
  return left;
}

int list_models(const ModelCatalogue& models) {
  std::string text;
  for (const auto& [source, names] : models.sources) {
    for (const auto& name : names) text += fmt::format("{}/{}\n", source, name);
  }
  return print(text) ? kSuccess : kCouldNotTell;
}

int list_jobs(const std::vector<HarvestJob>& jobs, const std::string& torch) {
  std::string text;
  for (const auto& job : jobs) text += key_of(job, torch) + "\n";
  return print(text) ? kSuccess : kCouldNotTell;
}

int summarise(const HarvestTally& tally, std::size_t there, std::size_t left, const std::filesystem::path& file) {
  print(fmt::format("{}: {} jobs added ({} failed), {} already there, {} left\n", file.string(), tally.done,
                    tally.failed, there, left - tally.done));
  if (tally.error) return fail(*tally.error, kCouldNotTell);
  if (tally.interrupted) return fail({"interrupted", "Run the same command again to continue."}, kCouldNotTell);
  if (tally.killed > 0) {
    return fail({fmt::format("jobs killed from outside and missing from the file: {}", tally.killed),
                 "Run the same command again to retry them; a smaller --jobs needs less memory."},
                kCouldNotTell);
  }
  return kSuccess;
}

Status check_place(const SlurmOptions& options) {
  if (options.on == "slurm") return check_slurm();
  if (options.on != "local") return Error{"unknown place '" + options.on + "'", "Use --on local or --on slurm."};
  for (const auto* option : options.own) {
    if (!option->empty())
      return Error{option->get_name() + " needs --on slurm",
                   "Add --on slurm, or leave out " + option->get_name() + "."};
  }
  return {};
}

/// The part of a task's command that is the same for all tasks.
std::vector<std::string> task_command(const HarvestOptions& options) {
  const auto at_once = options.jobs == 0 ? options.slurm.request.cpus : options.jobs;
  std::vector<std::string> command{std::filesystem::canonical("/proc/self/exe").string(),
                                   "harvest",
                                   "--python",
                                   options.python,
                                   "--jobs",
                                   std::to_string(at_once),
                                   "--timeout",
                                   options.timeout};
  for (const auto& cards : options.cards) command.insert(command.end(), {"--gpu-file", cards.string()});
  if (options.afresh) command.push_back("--afresh");
  return command;
}

int harvest(const HarvestOptions& options) {
  if (const auto status = check_place(options.slurm); !status) return fail(status.error(), kWrongUsage);
  if (options.out.empty() && !options.list_models && !options.dry) {
    return fail({"no output file given", "Name one, for example `dryfit harvest --out jobs.jsonl`."}, kWrongUsage);
  }
  const auto timeout = parse_duration(options.timeout);
  if (!timeout) return fail(timeout.error(), kWrongUsage);
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  if (const auto found = launch::find_command(options.python, own_environment()); !found) {
    return fail(found.error(), kWrongUsage);
  }
  const auto models = models_in(options.python, resources->hooks);
  if (!models) return fail(models.error(), kWrongUsage);
  if (options.list_models) return list_models(*models);
  const auto jobs = jobs_of(options, *resources, *catalogue, *models);
  if (!jobs) return fail(jobs.error(), kWrongUsage);
  if (jobs->empty()) {
    return fail({"the grid has no job that this Python environment can run",
                 "Run `dryfit harvest --list-models` to see which models it has."},
                kWrongUsage);
  }

  const auto wanted = std::min(options.limit == 0 ? jobs->size() : options.limit, jobs->size());
  const std::vector<HarvestJob> selected(jobs->begin(), jobs->begin() + static_cast<std::ptrdiff_t>(wanted));
  if (options.dry) return list_jobs(selected, models->torch);
  if (options.slurm.on == "slurm") {
    return harvest_on_slurm({.out = options.out,
                             .jobs = selected,
                             .torch = models->torch,
                             .command = task_command(options),
                             .tasks = options.slurm.tasks,
                             .request = options.slurm.request,
                             .wait = !options.slurm.no_wait});
  }
  auto file = HarvestFile::open(options.out);
  if (!file) return fail(file.error(), kWrongUsage);
  const auto left = not_yet_in(*file, selected, models->torch);
  const auto there = selected.size() - left.size();
  const auto tally = harvest_all(left,
                                 {.process = {options.python, *resources, *timeout},
                                  .torch = models->torch,
                                  .version = DRYFIT_VERSION,
                                  .catalogue = &*catalogue,
                                  .at_once = options.jobs == 0 ? cores() : options.jobs,
                                  .count_while_measuring = may_count_while_measuring(models->torch),
                                  .layers = options.without_layers ? RowLayers::omitted : RowLayers::included,
                                  .afresh = options.afresh},
                                 *file);
  return summarise(tally, there, left.size(), options.out);
}

void declare_slurm(CLI::App& command, SlurmOptions& o) {
  command.add_option("--on", o.on, "Where to run the jobs: local, or slurm (as a job array)")
      ->type_name("PLACE")
      ->capture_default_str();
  o.own = {command.add_option("--tasks", o.tasks, "Slurm: maximum number of tasks")
               ->type_name("N")
               ->check(whole_number(1, 100'000))
               ->capture_default_str(),
           command.add_option("--partition", o.request.partition, "Slurm: partition")->type_name("NAME"),
           command.add_option("--time", o.request.time, "Slurm: time limit of each task, as for sbatch (2:00:00)")
               ->type_name("TIME"),
           command.add_option("--cpus", o.request.cpus, "Slurm: cores per task, each running one job at a time")
               ->type_name("N")
               ->check(whole_number(1, 1024))
               ->capture_default_str(),
           command
               .add_option("--sbatch-arg", o.request.arguments,
                           "Slurm: extra option for sbatch, such as --sbatch-arg=--mem=8G")
               ->type_name("OPTION")
               ->expected(1)
               ->take_all()
               ->allow_extra_args(false),
           command.add_flag("--no-wait", o.no_wait,
                            "Slurm: submit and return; run the same command later to collect the rows")};
}

void declare(CLI::App& command, HarvestOptions& o) {
  command.add_option("--out", o.out, "Output file, one line of JSON per job; jobs already in it are skipped")
      ->type_name("FILE");
  command
      .add_option("--grid", o.grid, "TOML or JSON file that lists the jobs, see docs/harvest.md (default: built in)")
      ->type_name("FILE");
  command.add_option("--python", o.python, "Python interpreter with PyTorch and the models")
      ->type_name("COMMAND")
      ->capture_default_str();
  add_gpus_option(command, o.gpus, "GPUs to use instead of the grid's: a,b,c");
  add_gpu_file_option(command, o.cards);
  command.add_option("--jobs", o.jobs, "Maximum parallel jobs (default: one per core)")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command.add_option("--limit", o.limit, "Run only the first N jobs of the grid (a fair sample of all)")
      ->type_name("N")
      ->check(whole_number(1, 100'000'000));
  command.add_option("--timeout", o.timeout, "Time limit for each job: 90, 5m, 2h")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_flag("--afresh", o.afresh, "Start a new Python for each job instead of forking one (slower, same rows)");
  command.add_flag("--without-layers", o.without_layers, "Omit per-layer data (rows become about 50× smaller)");
  command.add_flag("--list-models", o.list_models, "List the available models and exit");
  command.add_flag("--list-jobs", o.dry, "List the jobs of the grid in order and exit");
  declare_slurm(command, o.slurm);
}

}  // namespace

void add_harvest(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("harvest", "Dry-run a grid of training jobs and collect the results")->group(kData);
  command->footer(
      "Examples:\n  dryfit harvest --out jobs.jsonl --limit 500\n"
      "  dryfit harvest --out jobs.jsonl --on slurm --tasks 16 --cpus 4 --partition cpu --time 4:00:00\n\n"
      "Exit code: 0 all jobs are in the file, or submitted with --no-wait; 1 some are missing (interrupted, killed, "
      "disk full); 2 wrong usage.");
  auto options = std::make_shared<HarvestOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] { exit_code = harvest(*options); });
}

}  // namespace dryfit::cli
