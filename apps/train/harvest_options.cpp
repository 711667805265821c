// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <set>

namespace dryfit::training {
namespace {

using predictor::Core;

const std::map<std::string, Members> kMembers{
    {"networks", Members::networks}, {"trees", Members::trees}, {"both", Members::both}};
const std::map<std::string, Core> kCores{
    {"sequence", Core::bigru_transformer}, {"bigru", Core::bigru}, {"transformer", Core::transformer}};

void add_plan(CLI::App& app, JobPlan& plan) {
  plan.recipe = harvest_recipe();
  app.add_option("--members", plan.members, "Members of the ensemble: networks, trees or both")
      ->transform(CLI::CheckedTransformer(kMembers));
  app.add_option("--network", plan.core, "Network: sequence, bigru or transformer")
      ->transform(CLI::CheckedTransformer(kCores));
  app.add_option("--epochs", plan.recipe.epochs, "Epochs of the networks")->capture_default_str();
  app.add_option("--batch", plan.recipe.batch, "Batch size of the networks")->capture_default_str();
  app.add_option("--learning-rate", plan.recipe.learning_rate, "Learning rate of the networks")->capture_default_str();
  app.add_option("--trees", plan.boosting.trees, "Number of boosted trees")->capture_default_str();
}

}  // namespace

ParsedHarvest parse_harvest_options(int argc, const char* const* argv) {
  HarvestOptions options;
  CLI::App app("Train the predictor of `dryfit predict` on dry runs", "dryfit-train");
  app.footer(
      "Example:\n  dryfit-train --harvest rows.jsonl --out predictions.csv --model mine.dryfit-model \\\n"
      "      --date 2026-11-17 --licence Apache-2.0\n\nSee docs/surrogate.md.");
  app.add_option("--harvest", options.harvest, "Rows written by `dryfit harvest`")->required();
  app.add_option("--models", options.models, "Catalogue that describes the rows' models")->capture_default_str();
  app.add_option("--gpu-file,--cards", options.cards, "Folder of the GPU files")->capture_default_str();
  add_plan(app, options.plan);
  app.add_option("--seeds", options.seeds, "Seeds of the members: 0,1,2")->delimiter(',')->capture_default_str();
  app.add_option("--folds", options.folds, "Number of folds, each of whole model families")->capture_default_str();
  app.add_option("--coverage", options.coverage, "Target coverage of the scored bounds")->capture_default_str();
  auto* judge = app.add_option("--judge", options.judge, "Only score the predictions of this model for the rows");
  auto* out = app.add_option("--out", options.out, "Write out-of-fold predictions to this file");
  auto* model = app.add_option("--model", options.model, "Also train on all rows and write the model to this file");
  app.add_option("--name", options.name, "Name in the model's description")->needs(model);
  auto* date =
      app.add_option("--date", options.date, "Date in the model's description (no clock is read)")->needs(model);
  auto* licence = app.add_option("--licence", options.licence, "Licence of the model")->needs(model);
  model->needs(date)->needs(licence);
  judge->excludes(out)->excludes(model);
  try {
    app.parse(argc, argv);
    if (!*out && !*model && !*judge) throw CLI::RequiredError("--out, --model or --judge");
    if (std::set(options.seeds.begin(), options.seeds.end()).size() < options.seeds.size()) {
      throw CLI::ValidationError("--seeds", "a seed is given twice");
    }
  } catch (const CLI::ParseError& error) {
    return {{}, app.exit(error) == 0 ? 0 : 2};
  }
  return {options, 0};
}

}  // namespace dryfit::training
