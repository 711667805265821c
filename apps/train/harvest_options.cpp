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
  app.add_option("--members", plan.members, "who answers: networks, trees or both")
      ->transform(CLI::CheckedTransformer(kMembers));
  app.add_option("--network", plan.core, "sequence, bigru or transformer")->transform(CLI::CheckedTransformer(kCores));
  app.add_option("--epochs", plan.recipe.epochs, "of the networks")->capture_default_str();
  app.add_option("--batch", plan.recipe.batch, "of the networks")->capture_default_str();
  app.add_option("--learning-rate", plan.recipe.learning_rate, "of the networks")->capture_default_str();
  app.add_option("--trees", plan.boosting.trees, "how many are boosted")->capture_default_str();
}

}  // namespace

ParsedHarvest parse_harvest_options(int argc, const char* const* argv) {
  HarvestOptions options;
  CLI::App app("Trains the predictor of job descriptions on dry runs", "dryfit-train");
  app.add_option("--harvest", options.harvest, "rows of 'dryfit harvest'")->required();
  app.add_option("--models", options.models, "catalogue that describes the rows' models")->capture_default_str();
  app.add_option("--cards", options.cards, "folder of the card files")->capture_default_str();
  add_plan(app, options.plan);
  app.add_option("--seeds", options.seeds, "of the members: 0,1,2")->delimiter(',')->capture_default_str();
  app.add_option("--folds", options.folds, "how many, of whole families of models")->capture_default_str();
  app.add_option("--coverage", options.coverage, "of the bounds that are scored")->capture_default_str();
  auto* judge = app.add_option("--judge", options.judge, "only score what this model says of the rows");
  auto* out = app.add_option("--out", options.out, "write out-of-fold predictions here");
  auto* model = app.add_option("--model", options.model, "train on all rows too, and write the model here");
  app.add_option("--name", options.name, "for the model's card")->needs(model);
  auto* date = app.add_option("--date", options.date, "for the model's card; no clock is asked")->needs(model);
  auto* licence = app.add_option("--licence", options.licence, "for the model's card")->needs(model);
  model->needs(date)->needs(licence);
  judge->excludes(out)->excludes(model);
  try {
    app.parse(argc, argv);
    if (!*out && !*model && !*judge) throw CLI::RequiredError("--out, --model or --judge");
    if (std::set(options.seeds.begin(), options.seeds.end()).size() < options.seeds.size()) {
      throw CLI::ValidationError("--seeds", "a seed is named twice");
    }
  } catch (const CLI::ParseError& error) {
    return {{}, app.exit(error) == 0 ? 0 : 2};
  }
  return {options, 0};
}

}  // namespace dryfit::training
