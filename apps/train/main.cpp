// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   1. dryfit-train --data DIR [--set NAME] [--folds NAME] [--features NAME] --network NAME --seeds 0,1,2 --out FILE
//   2. dryfit-train --data DIR --all-rows --model FILE --errors PREDICTIONS.csv --date DATE --licence TEXT
//   3. dryfit-train --data DIR ... --recipe
//   4. dryfit-train --harvest ROWS.jsonl --out PREDICTIONS.csv --model FILE --date DATE --licence TEXT
//
// The first predicts a data set, each example with a network (or trees) that was trained without the example's fold;
// dryfit-evaluate scores these predictions. If --out is a folder, the file gets the name that `make evaluate` expects.
// The second trains the same networks on all rows of timm's memory and writes the model file, whose description
// contains the errors of the first. The third prints the numbers of the recipe. The last learns from dry runs
// (docs/surrogate.md). The same command gives the same bytes.
//
// Exit code 0: written; 1: something could not be read, learned or written; 2: wrong usage.
#include <cstdio>
#include <filesystem>
#include <utility>

#include "harvest_training.h"
#include "options.h"
#include "output.h"
#include "predictor/data_sets.h"
#include "predictor/evaluation.h"
#include "predictor/model_file.h"
#include "predictor/out_of_fold.h"
#include "predictor/timm_dry_runs.h"

namespace dryfit::training {
namespace {

/// The name of all seeds together in the predictions.
std::string together(const Options& options) {
  const auto& seeds = options.seeds;
  const auto name = options.choice.name();
  return seeds.size() == 1 ? name + " seed " + std::to_string(seeds[0]) : name + " x" + std::to_string(seeds.size());
}

/// Called after every seed, so that an interrupted run leaves what it has.
Status write_predictions(const std::string& name, const predictor::DataSet& data,
                         std::vector<predictor::Contender> contenders, const std::filesystem::path& file) {
  const auto count = contenders.size();
  if (count > 1) contenders.push_back(blend_of(name + " x" + std::to_string(count), contenders));
  return write_text(predictions_table(data.rows(), contenders), file);
}

std::filesystem::path out_file(const Options& options) {
  const std::filesystem::path out = options.out;
  std::error_code ignored;
  return std::filesystem::is_directory(out, ignored) ? out / options.choice.file_name(options.folds) : out;
}

int predict(const Options& options, const predictor::DataSetEntry& set) {
  const auto report = progress();
  const auto chosen = choose(options.choice, report);
  if (!chosen) return fail(chosen.error(), 2);
  const auto data = read_data_set(set, {options.data, options.dry_runs}, options.folds, options.choice.features);
  if (!data) return fail(data.error());
  const auto name = options.choice.name();
  std::vector<predictor::Contender> contenders;
  for (const auto seed : options.seeds) {
    auto contender = predict_out_of_fold(*data, chosen->learner, name, seed, report);
    if (!contender) return fail(contender.error());
    contenders.push_back(std::move(*contender));
    if (auto status = write_predictions(name, *data, contenders, out_file(options)); !status) {
      return fail(status.error());
    }
  }
  return 0;
}

Result<predictor::ModelCard> read_card(const Options& options, const predictor::TimmMemory& data) {
  const auto table = predictor::read_table(options.predictions);
  if (!table) return table.error();
  const auto contenders = predictor::contenders_in(*table, data.rows);
  if (!contenders) return Error{options.predictions + ": " + contenders.error().what, contenders.error().hint};
  auto naming = options.naming;
  if (naming.name.empty()) naming.name = together(options);
  return card_of(naming, data, options.folds, *contenders, together(options));
}

int train_all(const Options& options) {
  const auto plan = plan_of(options.choice);
  if (!plan) return fail(plan.error(), 2);
  const auto data = predictor::read_timm_memory({options.data, options.dry_runs}, options.folds,
                                                predictor::estimates_of(options.choice.features));
  if (!data) return fail(data.error());
  const auto card = read_card(options, *data);
  if (!card) return fail(card.error());
  std::vector<std::uint64_t> seeds;
  for (const auto seed : options.seeds) seeds.push_back(predictor::seed_of_fold(seed, 0));
  const auto model = train_model(data->jobs, *plan, seeds, *card, progress());
  if (!model) return fail(model.error());
  if (const auto usable = predictor::MemoryPredictor::of(*model); !usable) return fail(usable.error());
  if (auto status = predictor::write_model(*model, options.model); !status) return fail(status.error());
  return 0;
}

int train(Options options) {
  const auto set = predictor::find_data_set(options.choice.set);
  if (!set) return fail(set.error(), 2);
  if (auto status = fill_in(options, **set); !status) return fail(status.error(), 2);
  if ((*set)->is_held_out(options.folds) && !options.final_test) {
    return fail(
        {"the folds '" + options.folds + "' are kept for the last test", "Add --final once all choices are made."}, 2);
  }
  const auto chosen = choose(options.choice, {});
  if (!chosen) return fail(chosen.error(), 2);
  if (options.show_recipe) return std::printf("%s\n", chosen->recipe.c_str()) > 0 ? 0 : 1;
  const std::filesystem::path file = options.all_rows ? std::filesystem::path(options.model) : out_file(options);
  if (auto status = check_folder_of(file); !status) return fail(status.error());
  return options.all_rows ? train_all(options) : predict(options, **set);
}

}  // namespace
}  // namespace dryfit::training

int main(int argc, char** argv) {
  if (dryfit::training::asks_for_harvest(argc, argv)) return dryfit::training::train_on_harvest(argc, argv);
  const auto parsed = dryfit::training::parse_options(argc, argv);
  return parsed.options ? dryfit::training::train(*parsed.options) : parsed.exit_code;
}
