// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <CLI/CLI.hpp>
#include <set>

namespace dryfit::training {
namespace {

void add_choice(CLI::App& app, Choice& choice) {
  app.add_option("--set", choice.set, "Data set")->capture_default_str();
  app.add_option("--features", choice.features, "Features to learn from (default: the data set's first)");
  app.add_option("--network", choice.network, std::string("Network: ") + kNetworks)->capture_default_str();
  app.add_option("--paper-reading", choice.reading,
                 "How to read a row: as one step of channels, or as tokens, a step per column")
      ->capture_default_str();
  app.add_option("--epochs", choice.epochs, "Epochs (default: the recipe's)");
  app.add_option("--batch", choice.batch, "Batch size (default: the recipe's)");
  app.add_option("--learning-rate", choice.learning_rate, "Learning rate (default: the recipe's)");
  app.add_option("--patience", choice.patience, "Stop after this many epochs without a better validation loss");
}

}  // namespace

Parsed parse_options(int argc, char** argv) {
  Options options;
  options.choice.features.clear();
  CLI::App app("Train predictors of training memory and throughput", "dryfit-train");
  app.footer(
      "Example:\n  dryfit-train --data DIR --set schedtune --folds model12 --network flat --out predictions.csv\n\n"
      "`dryfit-train --harvest ROWS --help` shows the options for learning from dry runs.");
  app.add_option("--data", options.data, "Folder of the data sets")->required();
  app.add_option("--dry-runs", options.dry_runs, "Rows of a harvest, for the features 'dry-run'");
  app.add_option("--folds", options.folds, "Column of the fold table (default: the data set's first)");
  add_choice(app, options.choice);
  app.add_option("--seeds", options.seeds, "Seeds of the networks: 0,1,2")->delimiter(',')->capture_default_str();
  app.add_flag("--final", options.final_test, "Allow folds that are kept for the last test");
  auto* recipe = app.add_flag("--recipe", options.show_recipe, "Print the numbers of the recipe and exit");
  auto* out = app.add_option("--out", options.out, "Write out-of-fold predictions to this file or folder");
  auto* all = app.add_flag("--all-rows", options.all_rows, "Train on all rows, for a model to keep");
  auto* model = app.add_option("--model", options.model, "Write the model to this file")->needs(all);
  auto* errors = app.add_option("--errors", options.predictions, "Out-of-fold predictions, for the model's errors");
  auto* date = app.add_option("--date", options.naming.date, "Date in the model's description (no clock is read)");
  app.add_option("--name", options.naming.name, "Name in the model's description")->needs(all);
  auto* licence = app.add_option("--licence", options.naming.licence, "Licence of the model")->needs(all);
  all->needs(model)->needs(errors)->needs(date)->needs(licence)->excludes(out);
  errors->needs(all);
  date->needs(all);
  try {
    app.parse(argc, argv);
    if (!*out && !*all && !*recipe) throw CLI::RequiredError("--out, --all-rows or --recipe");
    if (std::set(options.seeds.begin(), options.seeds.end()).size() < options.seeds.size()) {
      throw CLI::ValidationError("--seeds", "a seed is given twice");
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
