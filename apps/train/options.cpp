// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <CLI/CLI.hpp>
#include <set>

namespace dryfit::training {
namespace {

void add_choice(CLI::App& app, Choice& choice) {
  app.add_option("--set", choice.set, "which data set")->capture_default_str();
  app.add_option("--features", choice.features, "what is learned from; default: the first of the data set");
  app.add_option("--network", choice.network, kNetworks)->capture_default_str();
  app.add_option("--paper-reading", choice.reading, "a row is one step of channels, or a step of tokens per column")
      ->capture_default_str();
  app.add_option("--epochs", choice.epochs, "instead of the recipe's");
  app.add_option("--batch", choice.batch, "instead of the recipe's");
  app.add_option("--learning-rate", choice.learning_rate, "instead of the recipe's");
  app.add_option("--patience", choice.patience, "stop after so many epochs without a better validation loss");
}

}  // namespace

Parsed parse_options(int argc, char** argv) {
  Options options;
  options.choice.features.clear();
  CLI::App app("Trains the predictors of training memory and throughput", "dryfit-train");
  app.add_option("--data", options.data, "folder of the data sets")->required();
  app.add_option("--dry-runs", options.dry_runs, "rows of a harvest, for the features 'dry-run'");
  app.add_option("--folds", options.folds, "a column of the fold table; default: the first of the data set");
  add_choice(app, options.choice);
  app.add_option("--seeds", options.seeds, "of the networks: 0,1,2")->delimiter(',')->capture_default_str();
  app.add_flag("--final", options.final_test, "allow folds that are kept for the last test");
  auto* recipe = app.add_flag("--recipe", options.show_recipe, "say with which numbers is trained, and train nothing");
  auto* out = app.add_option("--out", options.out, "write out-of-fold predictions here: a file, or a folder");
  auto* all = app.add_flag("--all-rows", options.all_rows, "train on all rows, for a model that is kept");
  auto* model = app.add_option("--model", options.model, "write the model here")->needs(all);
  auto* errors = app.add_option("--errors", options.predictions, "out-of-fold predictions, for the model's card");
  auto* date = app.add_option("--date", options.naming.date, "for the model's card; no clock is asked");
  app.add_option("--name", options.naming.name, "for the model's card")->needs(all);
  auto* licence = app.add_option("--licence", options.naming.licence, "for the model's card")->needs(all);
  all->needs(model)->needs(errors)->needs(date)->needs(licence)->excludes(out);
  errors->needs(all);
  date->needs(all);
  try {
    app.parse(argc, argv);
    if (!*out && !*all && !*recipe) throw CLI::RequiredError("--out, --all-rows or --recipe");
    if (std::set(options.seeds.begin(), options.seeds.end()).size() < options.seeds.size()) {
      throw CLI::ValidationError("--seeds", "a seed is named twice");
    }
  } catch (const CLI::ParseError& error) {
    return {{}, app.exit(error) == 0 ? 0 : 2};
  }
  return {options, 0};
}

Status fill_in(Options& options, const predictor::DataSetEntry& set) {
  if (options.folds.empty()) options.folds = set.open_folds.front();
  if (options.choice.features.empty()) options.choice.features = set.features.front();
  std::string known;
  for (const auto features : set.features) {
    if (features == options.choice.features) return {};
    known += (known.empty() ? "" : ", ") + std::string(features);
  }
  return Error{"the data set '" + options.choice.set + "' has no features '" + options.choice.features + "'",
               "Use one of: " + known + "."};
}

}  // namespace dryfit::training
