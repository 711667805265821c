// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "card/catalogue.h"
#include "commands.h"
#include "common_options.h"
#include "files.h"
#include "predict_answer.h"
#include "predict_model_file.h"
#include "predict_question.h"
#include "predictor/known_models.h"
#include "report/table.h"
#include "resources.h"
#include "screen.h"
#include "typed_line.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

struct ModelsOptions {
  std::string filter;
  std::vector<fs::path> from;
  fs::path out;
  fs::path models;
  std::vector<fs::path> cards;
};

bool has_in_name(const predictor::KnownModel& known, const std::string& filter) {
  return (known.description.source + "/" + known.description.name).find(filter) != std::string::npos;
}

std::vector<report::Cell> row(const predictor::KnownModel& known) {
  using enum report::Align;
  const auto& model = known.description;
  return {{.text = model.source + "/" + model.name, .shrinks = true},
          {fmt::format("{:g}", model.size), right},
          {known.image ? "image" : "sequence"},
          {fmt::format("{:.1f} M", model.parameters / 1e6), right},
          {model.flops > 0 ? fmt::format("{:.3g} GFLOP", model.flops / 1e9) : "not known", right},
          {std::to_string(model.blocks.size()), right},
          {std::to_string(model.probes.size()), right}};
}

Error no_such_model(const predictor::KnownModels& known, const std::string& filter) {
  const auto nearest = nearest_model(known, filter);
  const auto question = nearest.empty() ? "" : did_you_mean(TypedLine::own(), filter, nearest) + " ";
  return {"no model matches '" + filter + "'", question + "Run `dryfit models` to list all models."};
}

int list_models(const predictor::KnownModels& known, const std::string& filter) {
  using enum report::Align;
  std::vector<std::vector<report::Cell>> rows{{{"model"},
                                               {"size", right},
                                               {"of"},
                                               {"parameters", right},
                                               {"a sample's step", right},
                                               {"blocks", right},
                                               {"probes", right}}};
  for (auto& cell : rows.front()) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  for (const auto& model : known.models()) {
    if (has_in_name(model, filter)) rows.push_back(row(model));
  }
  if (rows.size() == 1) return fail(no_such_model(known, filter), kWrongUsage);
  return print(list_text(rows, 4)) ? kSuccess : kCouldNotTell;
}

Result<double> capability_of(const CardNames& cards, const std::string& name) {
  const auto card = cards.find(name);
  if (!card) return card.error();
  const auto capability = (*card)->card.compute_capability;
  return capability.major + 0.1 * capability.minor;
}

Status collect(const fs::path& harvest, const CardNames& cards, predictor::ModelCollector& collector) {
  std::ifstream input(harvest, std::ios::binary);
  if (!input) return Error{"cannot read '" + harvest.string() + "'", "Give a file that `dryfit harvest` wrote."};
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    const auto failed = [&](const Error& error) {
      return Error{fmt::format("{}:{}: {}", harvest.string(), number, error.what), error.hint};
    };
    const auto job = predictor::parse_harvested_job(line);
    if (!job) return failed(job.error());
    const auto capability = capability_of(cards, job->card);
    if (!capability) return failed(capability.error());
    collector.add(*job, *capability);
  }
  return {};
}

Result<std::vector<predictor::KnownModel>> models_in(const std::vector<fs::path>& harvests, const CardNames& cards) {
  predictor::ModelCollector collector;
  for (const auto& harvest : harvests) {
    if (const auto status = collect(harvest, cards, collector); !status) return status.error();
  }
  auto models = collector.models();
  if (models.empty()) {
    return Error{"'" + harvests.front().string() + "' has no complete job in fp32 and without checkpointing",
                 "Run `dryfit harvest` with at least one such job for each model."};
  }
  return models;
}

int make_catalogue(const ModelsOptions& options, const Resources& resources) {
  if (options.out.empty()) {
    return fail({"no output file given", "Name one, for example `dryfit models --from jobs.jsonl --out models.jsonl`."},
                kWrongUsage);
  }
  const auto catalogue = Catalogue::load(resources.cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  const auto models = models_in(options.from, CardNames(*catalogue));
  if (!models) return fail(models.error(), kWrongUsage);
  if (const auto status = write_atomically(options.out, predictor::to_json_lines(*models)); !status) {
    return fail(status.error(), kCouldNotTell);
  }
  return print(fmt::format("models written to {}: {}\n", options.out.string(), models->size())) ? kSuccess
                                                                                                : kCouldNotTell;
}

int models(const ModelsOptions& options) {
  if (options.from.empty() && !options.out.empty()) {
    return fail({"--out needs --from", "For example `dryfit models --from jobs.jsonl --out models.jsonl`."},
                kWrongUsage);
  }
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  if (!options.from.empty()) return make_catalogue(options, *resources);
  const auto known = predictor::KnownModels::read(options.models.empty() ? models_folder(*resources) / kModelCatalogue
                                                                         : options.models);
  if (!known) return fail(known.error(), kCouldNotTell);
  return list_models(*known, options.filter);
}

}  // namespace

void add_models(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("models", "List the models that `dryfit predict` knows by name")->group(kLists);
  command->footer(
      "Examples:\n  dryfit models resnet\n  dryfit models --from jobs.jsonl --out models.jsonl\n\n"
      "--from makes a catalogue of your own from rows of `dryfit harvest`, for `dryfit predict --models`.");
  auto options = std::make_shared<ModelsOptions>();
  command->add_option("FILTER", options->filter, "Show only models whose name contains this");
  command->add_option("--models", options->models, "Catalogue to list (default: the installed one)")->type_name("FILE");
  command->add_option("--from", options->from, "Make a catalogue from these rows (repeatable)")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  add_gpu_file_option(*command, options->cards);
  command->add_option("--out", options->out, "File to write that catalogue to")->type_name("FILE");
  command->callback([options, &exit_code] { exit_code = models(*options); });
}

}  // namespace dryfit::cli
