// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// dryfit-train-compute: learns how long a training step takes, from published throughput tables (docs/compute.md).
//
//   dryfit-train-compute --data DIR [--tables all|timm] [--out FILE] [--model FILE --date DATE --licence TEXT]
//
// It predicts every measured step with a variant that has not seen the step's fold and prints the errors; with --model
// it also learns from all steps and writes the file. The same command gives the same bytes.
//
// Exit code 0: written; 1: something could not be read, learned or written; 2: wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "card_text.h"
#include "predictor/compute_model_file.h"
#include "predictor/compute_predictor.h"
#include "predictor/data_sets.h"
#include "predictor/mpt_steps.h"
#include "predictor/timm_steps.h"

namespace dryfit::training {
namespace {

namespace fs = std::filesystem;
using namespace predictor;

struct Options {
  fs::path data;
  fs::path cards = "cards";
  std::string folds = "module5_s0";
  std::string tables = "all";
  fs::path out;
  fs::path model;
  std::string date, licence;
  double coverage = 0.95;
  ComputePlan plan;
};

struct Measured {
  std::vector<ComputeExample> examples;
  std::vector<StepTable> tables;
};

int fail(const Error& error, int code = 1) {
  std::fprintf(stderr, "dryfit-train-compute: %s\n", error.what.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  %s\n", error.hint.c_str());
  return code;
}

void add_table(Measured& measured, std::vector<ComputeExample> examples, const std::string& of) {
  const auto begin = measured.examples.size();
  const auto title = std::to_string(examples.size()) + " " + of;
  for (auto& example : examples) measured.examples.push_back(std::move(example));
  measured.tables.push_back({title, begin, measured.examples.size()});
}

Result<ThroughputTables> read_timm(const fs::path& folder) {
  ThroughputTables tables;
  const std::pair<Table*, fs::path> files[] = {{&tables.measured, "timm-train-throughput-rtx3090.csv"},
                                               {&tables.features, "splits/timm-train-throughput-features.csv"},
                                               {&tables.folds, "splits/timm-train-throughput-rtx3090.csv"},
                                               {&tables.blocks, "splits/timm-blocks16.csv"}};
  for (const auto& [table, file] : files) {
    auto read = read_table(folder / file);
    if (!read) return read.error();
    *table = std::move(*read);
  }
  return tables;
}

Result<Measured> read_measured(const Options& options) {
  const auto catalogue = Catalogue::load(options.cards);
  if (!catalogue) return catalogue.error();
  const auto tables = read_timm(options.data);
  if (!tables) return tables.error();
  auto timm = timm_steps(*tables, options.folds, *catalogue);
  if (!timm) return timm.error();
  const auto folds = std::ranges::max(*timm, {}, &ComputeExample::fold).fold + 1;
  Measured measured;
  add_table(measured, std::move(*timm), "of timm's models on an RTX 3090");
  if (options.tables == "timm") return measured;
  const auto runs = read_table(options.data / "llm-foundry-mpt-training.csv");
  if (!runs) return runs.error();
  auto mpt = mpt_steps(*runs, folds, *catalogue);
  if (!mpt) return mpt.error();
  add_table(measured, std::move(*mpt), "MPT runs on A100 and H100");
  return measured;
}

/// The out-of-fold predictions of a variant, and its errors.
struct Assessed {
  StepsOutOfFold predictions;
  std::vector<GpuShift> shifts;
  std::string errors;
};

Result<Assessed> assess(const Options& options, const Measured& measured, ComputeKnowledge knowledge,
                        const Report& report) {
  auto predictions = predict_steps_without_fold(measured.examples, knowledge, options.plan, report);
  if (!predictions) return predictions.error();
  const auto intervals = score_intervals(measured.examples, *predictions, options.coverage);
  if (!intervals) return intervals.error();
  auto shifts = shifts_of_unseen_gpus(measured.examples, knowledge, options.plan, report);
  if (!shifts) return shifts.error();
  const auto errors =
      errors_line(measured.examples, measured.tables, *predictions, *intervals, options.coverage, *shifts);
  for (const auto& table : measured.tables) {
    std::fputs(scores_table(measured.examples, table, *predictions).c_str(), stdout);
  }
  std::printf("%s\n", errors.c_str());
  return Assessed{std::move(*predictions), std::move(*shifts), errors};
}

ModelCard card_of(const Options& options, const Measured& measured, const std::string& errors) {
  std::string data = "published throughput of";
  for (const auto& table : measured.tables) data += (&table == &measured.tables.front() ? " " : " and ") + table.title;
  std::size_t left_out = 0;
  for (const auto& example : measured.examples) left_out += example.described ? 0 : 1;
  if (left_out > 0) data += "; not learned from, as described by another model: " + std::to_string(left_out);
  return {.name = "dryfit compute",
          .data = std::move(data),
          .date = options.date,
          .folds = options.folds + " of timm's models, whole sizes of MPT; boosted trees x" +
                   std::to_string(options.plan.seeds.size()) + ", each step predicted without its fold",
          .errors = errors,
          .licence = options.licence};
}

Status write_model(const Options& options, const Measured& measured, const std::vector<Assessed>& variants) {
  ComputeModel model;
  std::string errors;
  std::set<std::string> settings;
  for (const auto& example : measured.examples) settings.insert(setting_of(example.gpu, example.job));
  for (const auto& assessed : variants) {
    auto variant = train_compute_variant(measured.examples, assessed.predictions.knowledge, options.plan);
    if (!variant) return variant.error();
    calibrate_variant(*variant, measured.examples, assessed.predictions);
    model.variants.push_back(std::move(*variant));
    for (const auto& shift : assessed.shifts) model.gpu_shift = std::max(model.gpu_shift, std::abs(shift.shift));
    errors += (errors.empty() ? "" : "\n") + assessed.errors;
  }
  model.settings.assign(settings.begin(), settings.end());
  model.card = card_of(options, measured, errors);
  if (const auto usable = ComputePredictor::of(model); !usable) return usable.error();
  return write_compute_model(model, options.model);
}

Status write_predictions(const Options& options, const Measured& measured, const StepsOutOfFold& predictions) {
  std::ofstream stream(options.out, std::ios::binary);
  stream << predictions_of(measured.examples, measured.tables.front(), predictions);
  stream.close();
  if (stream) return {};
  return Error{options.out.string() + ": cannot be written", "Check that the folder exists and the disk is not full."};
}

int train(const Options& options) {
  const auto set = find_data_set("timm-throughput");
  if (set && (*set)->is_held_out(options.folds)) {
    return fail({"the folds '" + options.folds + "' are kept for the last test", "Use module5_s0."}, 2);
  }
  const auto measured = read_measured(options);
  if (!measured) return fail(measured.error());
  const auto report = [](const std::string& line) { std::fprintf(stderr, "  %s\n", line.c_str()); };
  std::vector<Assessed> variants;
  for (const auto knowledge : kAllComputeKnowledge) {
    auto assessed = assess(options, *measured, knowledge, report);
    if (!assessed) return fail(assessed.error());
    variants.push_back(std::move(*assessed));
  }
  if (!options.out.empty()) {
    if (const auto status = write_predictions(options, *measured, variants.back().predictions); !status) {
      return fail(status.error());
    }
  }
  if (options.model.empty()) return 0;
  const auto status = write_model(options, *measured, variants);
  return status ? 0 : fail(status.error());
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--data", options.data, "Folder of the published tables")->required();
  app.add_option("--gpu-file,--cards", options.cards, "Folder of the GPU files")->capture_default_str();
  app.add_option("--folds", options.folds, "Folds of timm's models")->capture_default_str();
  app.add_option("--tables", options.tables, "Tables to learn from: all, or timm (without MPT)")
      ->check(CLI::IsMember({"all", "timm"}))
      ->capture_default_str();
  app.add_option("--seeds", options.plan.seeds, "Seeds of the trees: 0,1,2")->delimiter(',')->capture_default_str();
  app.add_option("--trees", options.plan.boosting.trees, "Number of boosted trees")->capture_default_str();
  app.add_option("--coverage", options.coverage, "Target coverage of the scored intervals")->capture_default_str();
  app.add_option("--out", options.out, "Write timm's out-of-fold predictions to this file, for dryfit-evaluate");
  auto* model = app.add_option("--model", options.model, "Also learn from all steps and write the model to this file");
  auto* date =
      app.add_option("--date", options.date, "Date in the model's description (no clock is read)")->needs(model);
  auto* licence = app.add_option("--licence", options.licence, "Licence of the model")->needs(model);
  model->needs(date)->needs(licence);
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app("Learn step times from published throughput tables", "dryfit-train-compute");
  app.footer("Example:\n  dryfit-train-compute --data DIR --out predictions.csv\n\nSee docs/compute.md.");
  declare(app, options);
  try {
    app.parse(argc, argv);
    if (options.out.empty() && options.model.empty()) throw CLI::RequiredError("--out or --model");
    if (options.plan.seeds.empty()) throw CLI::RequiredError("--seeds");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return train(options);
}

}  // namespace
}  // namespace dryfit::training

int main(int argc, char** argv) { return dryfit::training::main_of(argc, argv); }
