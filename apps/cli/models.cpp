// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "commands.h"
#include "files.h"
#include "predict_model_file.h"
#include "predictor/known_models.h"
#include "report/table.h"
#include "resources.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

struct ModelsOptions {
  fs::path from;
  fs::path out;
  fs::path models;
};

std::vector<report::Cell> row(const predictor::KnownModel& known) {
  using enum report::Align;
  const auto& model = known.description;
  return {{model.source + "/" + model.name},
          {fmt::format("{:g}", model.size), right},
          {known.image ? "image" : "sequence"},
          {fmt::format("{:.1f} M", model.parameters / 1e6), right},
          {model.flops > 0 ? fmt::format("{:.3g} GFLOP", model.flops / 1e9) : "not known", right},
          {std::to_string(model.blocks.size()), right}};
}

int list_models(const predictor::KnownModels& known) {
  using enum report::Align;
  std::vector<std::vector<report::Cell>> rows{
      {{"model"}, {"size", right}, {"of"}, {"parameters", right}, {"a sample's step", right}, {"blocks", right}}};
  for (auto& cell : rows.front()) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  for (const auto& model : known.models()) rows.push_back(row(model));
  return print(report::aligned(rows, style_for(STDOUT_FILENO))) ? kSuccess : kCouldNotTell;
}

Result<std::vector<predictor::KnownModel>> models_in(const fs::path& harvest) {
  std::ifstream input(harvest, std::ios::binary);
  if (!input) return Error{"cannot read '" + harvest.string() + "'", "Give a file that `dryfit harvest` wrote."};
  predictor::ModelCollector collector;
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    const auto job = predictor::parse_harvested_job(line);
    if (!job) return Error{fmt::format("{}:{}: {}", harvest.string(), number, job.error().what), job.error().hint};
    collector.add(*job);
  }
  auto models = collector.models();
  if (models.empty()) {
    return Error{"'" + harvest.string() + "' has no job in fp32 and without checkpointing that was seen whole",
                 "Harvest one of each model."};
  }
  return models;
}

int make_catalogue(const ModelsOptions& options) {
  if (options.out.empty()) {
    return fail({"no file to write the catalogue to", "Name one: dryfit models --from jobs.jsonl --out models.jsonl"},
                kWrongUsage);
  }
  const auto models = models_in(options.from);
  if (!models) return fail(models.error(), kWrongUsage);
  if (const auto status = write_atomically(options.out, predictor::to_json_lines(*models)); !status) {
    return fail(status.error(), kCouldNotTell);
  }
  return print(fmt::format("models written to {}: {}\n", options.out.string(), models->size())) ? kSuccess
                                                                                                : kCouldNotTell;
}

int models(const ModelsOptions& options) {
  if (!options.from.empty()) return make_catalogue(options);
  if (!options.out.empty()) return fail({"--out goes with --from", "See: dryfit models --help"}, kWrongUsage);
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  const auto known = predictor::KnownModels::read(options.models.empty() ? models_folder(*resources) / kModelCatalogue
                                                                         : options.models);
  if (!known) return fail(known.error(), kCouldNotTell);
  return list_models(*known);
}

}  // namespace

void add_models(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("models", "List the models that `dryfit predict` knows by name, or learn of more");
  command->footer(
      "Example:\n  dryfit harvest --out jobs.jsonl --grid reference.toml\n"
      "  dryfit models --from jobs.jsonl --out models.jsonl\n  dryfit predict --models models.jsonl --model …");
  auto options = std::make_shared<ModelsOptions>();
  command->add_option("--models", options->models, "The catalogue to list (default: the installed one)")
      ->type_name("FILE");
  command->add_option("--from", options->from, "Make a catalogue from the rows of a harvest")->type_name("FILE");
  command->add_option("--out", options->out, "Where to write it")->type_name("FILE");
  command->callback([options, &exit_code] { exit_code = models(*options); });
}

}  // namespace dryfit::cli
