// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_training.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "card/catalogue.h"
#include "harvest_options.h"
#include "output.h"
#include "predictor/job_model_file.h"
#include "predictor/job_predictor.h"
#include "predictor/probes.h"
#include "training/job_scores.h"

namespace dryfit::training {
namespace {

using predictor::Harvest;

constexpr double kMib = 1024 * 1024;
constexpr int kMultiprocessorCount = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT

Result<predictor::CardTable> read_cards(const std::string& folder) {
  const auto catalogue = Catalogue::load(folder);
  if (!catalogue) return catalogue.error();
  predictor::CardTable table;
  for (const auto& file : catalogue->cards()) {
    const auto capability = file.card.compute_capability;
    table[file.card.id] = {static_cast<double>(file.card.attribute(kMultiprocessorCount)),
                           capability.major + 0.1 * capability.minor};
  }
  return table;
}

/// Summary of the harvest, for the model's description and the progress output.
std::string text_of(const Harvest& harvest) {
  std::set<std::string> families;
  std::size_t fitting = 0;
  for (const auto& example : harvest.examples) {
    families.insert(example.family);
    fitting += example.ending == predictor::Ending::fits ? 1 : 0;
  }
  std::string text = "dryfit harvest: " + std::to_string(harvest.examples.size()) + " dry runs, " +
                     std::to_string(fitting) + " of which fit and were learned from, of " +
                     std::to_string(families.size()) + " families, " + std::to_string(harvest.models) +
                     " models and sizes, each described by dry runs of its own";
  for (const auto& [reason, count] : harvest.left_out) text += "; left out, " + reason + ": " + std::to_string(count);
  return text;
}

/// Either all examples have probes or none: Note [Examples].
bool has_probes(const Harvest& harvest) {
  return std::ranges::all_of(harvest.examples, [](const predictor::HarvestExample& example) {
    return !predictor::probes_of(example.job).empty();
  });
}

std::string members_text(const HarvestOptions& options) {
  return std::string(to_text(options.plan.members)) + " x" + std::to_string(options.seeds.size());
}

predictor::ModelCard card_of(const HarvestOptions& options, const Harvest& harvest, const std::string& errors) {
  return {.name = options.name.empty() ? "surrogate, " + members_text(options) : options.name,
          .data = text_of(harvest),
          .date = options.date,
          .folds = std::to_string(options.folds) + " folds of whole families; " + members_text(options) +
                   ", each job predicted and bounded without its fold",
          .errors = errors,
          .licence = options.licence};
}

Status write_kept_model(const HarvestOptions& options, const Harvest& harvest, const JobFolds& folds,
                        const std::vector<OutOfFold>& predictions, const std::string& errors,
                        const predictor::Report& report) {
  predictor::JobModel model{.card = card_of(options, harvest, errors)};
  for (const auto& each : predictions) {
    report("all jobs");
    auto variant = train_variant(harvest.examples, each.knowledge, options.plan, options.seeds, report);
    if (!variant) return variant.error();
    variant->calibration = calibrate_variant(harvest.examples, folds, each);
    model.variants.push_back(std::move(*variant));
  }
  if (const auto usable = predictor::JobPredictor::of(model); !usable) return usable.error();
  return predictor::write_job_model(model, options.model);
}

Result<std::vector<OutOfFold>> predict_all_variants(const HarvestOptions& options, const Harvest& harvest,
                                                    const JobFolds& folds, const predictor::Report& report) {
  std::vector<OutOfFold> variants;
  for (const auto knowledge : predictor::kAllKnowledge) {
    if (knowledge == predictor::Knowledge::probes && !has_probes(harvest)) continue;
    auto variant = predict_without_fold(harvest.examples, folds, knowledge, options.plan, options.seeds, report);
    if (!variant) return variant.error();
    variants.push_back(std::move(*variant));
  }
  return variants;
}

/// Scores the predictions of a kept model for the rows.
int judge(const HarvestOptions& options, const Harvest& harvest) {
  const auto judged = predictor::JobPredictor::read(options.judge);
  if (!judged) return fail(judged.error());
  OutOfFold answers;
  std::vector<double> bounds;
  std::map<std::string_view, std::size_t> known_by;
  for (const auto& example : harvest.examples) {
    const auto answer = judged->predict(example.job, options.coverage);
    if (!answer) return fail(answer.error());
    answers.answer.push_back(answer->median_bytes / kMib);
    answers.distance.push_back(answer->distance);
    bounds.push_back(answer->upper_bytes / kMib);
    ++known_by[to_text(answer->knowledge)];
  }
  for (const auto& [knowledge, jobs] : known_by) std::printf("known by %s: %zu jobs\n", knowledge.data(), jobs);
  std::printf("%s\n", describe_answers(harvest.examples, answers, bounds, options.coverage).c_str());
  return 0;
}

int train(const HarvestOptions& options) {
  for (const auto& file : {options.out, options.model}) {
    if (file.empty()) continue;
    if (auto status = check_folder_of(file); !status) return fail(status.error());
  }
  const auto cards = read_cards(options.cards);
  if (!cards) return fail(cards.error());
  const auto models = predictor::KnownModels::read(options.models);
  if (!models) return fail(models.error());
  const auto harvest = predictor::read_harvest(options.harvest, *cards, *models);
  if (!harvest) return fail(harvest.error());
  const auto report = progress();
  report(text_of(*harvest));
  if (!options.judge.empty()) return judge(options, *harvest);
  const auto folds = fold_by_family(harvest->examples, options.folds);
  if (!folds) return fail(folds.error());
  const auto predictions = predict_all_variants(options, *harvest, *folds, report);
  if (!predictions) return fail(predictions.error());
  std::string errors;
  for (const auto& variant : *predictions) {
    errors += describe_scores(harvest->examples, *folds, variant, options.coverage) + "\n";
  }
  std::fputs(errors.c_str(), stdout);
  if (!options.out.empty()) {
    const auto table = out_of_fold_table(harvest->examples, *folds, *predictions, options.coverage);
    if (auto status = write_text(table, options.out); !status) return fail(status.error());
  }
  if (options.model.empty()) return 0;
  const auto status = write_kept_model(options, *harvest, *folds, *predictions, errors, report);
  return status ? 0 : fail(status.error());
}

}  // namespace

bool asks_for_harvest(int argc, const char* const* argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* argument) {
    const std::string_view text(argument);
    return text == "--harvest" || text.starts_with("--harvest=");
  });
}

int train_on_harvest(int argc, const char* const* argv) {
  const auto parsed = parse_harvest_options(argc, argv);
  return parsed.options ? train(*parsed.options) : parsed.exit_code;
}

}  // namespace dryfit::training
