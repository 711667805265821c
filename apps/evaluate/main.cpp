// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   dryfit-evaluate --data DIR [--set NAME] [--folds NAME] [--features NAME] [PREDICTIONS.csv ...]
//   dryfit-evaluate --data DIR ... --features-out TABLE.csv
//   dryfit-evaluate --list
//
// Scores out-of-fold predictions of a data set, and the physics base with them. A column "B1 ...", "B2 ..." or "B3 ..."
// is a comparator of that baseline (Note [Bars] in src/predictor/evaluation.h). With --features-out it writes the
// features to predict from (src/predictor/feature_table.h) and scores nothing.
//
// Exit code 0: everything was scored or written; 1: something could not be read or written; 2: wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/blends.h"
#include "evaluate/findings.h"
#include "predictor/data_sets.h"
#include "predictor/feature_table.h"

namespace dryfit::evaluate {
namespace {

using predictor::Contender;
using predictor::DataSet;
using predictor::DataSetEntry;

struct Options {
  std::string data;
  std::string dry_runs;
  std::string set = "timm-memory";
  std::string folds;
  std::string features;
  std::string features_out;
  std::string html;
  std::vector<std::string> plots;
  std::string against;
  std::uint64_t seed = 1;
  std::vector<std::string> blends;
  bool against_baselines = false;
  bool json = false;
  bool list = false;
  bool final_test = false;
  std::vector<std::string> predictions;
};

int fail(const Error& error, int code = 1) {
  std::fprintf(stderr, "dryfit-evaluate: %s\n", error.what.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  %s\n", error.hint.c_str());
  return code;
}

int list_studies() {
  for (const auto& set : predictor::all_data_sets()) {
    for (const auto folds : set.open_folds) {
      for (const auto features : set.features) {
        std::printf("%s %s %s\n", std::string(set.name).c_str(), std::string(folds).c_str(),
                    std::string(features).c_str());
      }
    }
  }
  return 0;
}

int write_features(const DataSet& data, const std::string& file) {
  std::ofstream stream(file, std::ios::binary);
  stream << predictor::feature_table(data);
  stream.flush();
  return stream ? 0 : fail({file + ": cannot be written", "Check that the folder exists and the disk is not full."});
}

Status add_predictions(const Options& options, const DataSet& data, std::vector<Contender>& contenders) {
  for (const auto& file : options.predictions) {
    const auto table = predictor::read_table(file);
    if (!table) return table.error();
    auto read = predictor::contenders_in(*table, data.rows());
    if (!read) return Error{file + ": " + read.error().what, read.error().hint};
    std::ranges::move(*read, std::back_inserter(contenders));
  }
  return {};
}

Status check_names(const Options& options, const std::vector<Contender>& contenders) {
  std::vector<std::string> names;
  for (const auto& contender : contenders) names.push_back(contender.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) return Error{"two columns are named '" + *twice + "'", "Give each column its own name."};
  auto needed = options.plots;
  if (!options.against.empty()) needed.push_back(options.against);
  for (const auto& name : needed) {
    if (std::ranges::binary_search(names, name)) continue;
    return Error{"no column is named '" + name + "'", "Name a column of the predictions, or 'physics base'."};
  }
  return {};
}

std::vector<NamedDifference> differences_to(const std::string& name, const Findings& findings) {
  std::vector<NamedDifference> differences;
  const auto other = std::ranges::find(findings.contenders, name, &Contender::name);
  for (const auto& contender : findings.contenders) {
    if (contender.name == name) continue;
    differences.push_back(
        {contender.name, predictor::difference(findings.data, contender, *other, {.seed = findings.seed})});
  }
  return differences;
}

/// Those named with --plot, or the physics base and the last column.
std::vector<const Contender*> plotted(const Options& options, const Findings& findings) {
  std::vector<const Contender*> shown;
  for (const auto& contender : findings.contenders) {
    const bool is_end = &contender == &findings.contenders.front() || &contender == &findings.contenders.back();
    const bool is_named = std::ranges::find(options.plots, contender.name) != options.plots.end();
    if (options.plots.empty() ? is_end : is_named) shown.push_back(&contender);
  }
  return shown;
}

Status write_page(const Options& options, const Findings& findings) {
  std::ofstream stream(options.html);
  stream << page_of(findings, plotted(options, findings));
  stream.close();
  if (stream) return {};
  return Error{options.html + ": cannot be written", "Check that the folder exists and the disk is not full."};
}

int score_predictions(const Options& options, const DataSet& data) {
  std::vector<Contender> contenders{predictor::base_out_of_fold(data)};
  if (auto status = add_predictions(options, data, contenders); !status) return fail(status.error());
  if (auto status = add_blends(options.blends, contenders); !status) return fail(status.error(), 2);
  if (auto status = check_names(options, contenders); !status) return fail(status.error(), 2);
  Findings findings{.data = data,
                    .features = options.features,
                    .folds = options.folds,
                    .seed = options.seed,
                    .contenders = std::move(contenders),
                    .against = options.against};
  findings.ranking = predictor::rank(data, findings.contenders);
  if (options.against_baselines) {
    findings.to_baselines =
        predictor::differences_to_baselines(data, findings.contenders, findings.ranking, {.seed = options.seed});
  }
  if (!options.against.empty()) findings.to_named = differences_to(options.against, findings);
  if (!options.html.empty()) {
    if (auto status = write_page(options, findings); !status) return fail(status.error());
  }
  options.json ? print_json(findings) : print_text(findings);
  return 0;
}

int evaluate(Options options) {
  if (options.list) return list_studies();
  if (options.data.empty()) return fail({"--data is not given", "Name the folder of the data sets."}, 2);
  const auto set = predictor::find_data_set(options.set);
  if (!set) return fail(set.error(), 2);
  if (options.folds.empty()) options.folds = (*set)->open_folds.front();
  if (options.features.empty()) options.features = (*set)->features.front();
  if ((*set)->is_held_out(options.folds) && !options.final_test) {
    return fail(
        {"the folds '" + options.folds + "' are kept for the last test", "Add --final once all choices are made."}, 2);
  }
  const auto data = predictor::read_data_set(**set, {options.data, options.dry_runs}, options.folds, options.features);
  if (!data) return fail(data.error());
  if (!options.features_out.empty()) return write_features(*data, options.features_out);
  return score_predictions(options, *data);
}

}  // namespace

std::size_t Findings::group_count() const {
  const auto groups = predictor::number_groups(data.groups());
  return *std::ranges::max_element(groups) + 1;
}

}  // namespace dryfit::evaluate

int main(int argc, char** argv) {
  dryfit::evaluate::Options options;
  CLI::App app("Score out-of-fold predictions of training memory and throughput", "dryfit-evaluate");
  app.add_option("--data", options.data, "Folder of the data sets");
  app.add_option("--dry-runs", options.dry_runs, "Rows of a harvest, for the features 'dry-run'");
  app.add_option("--set", options.set, "Data set")->capture_default_str();
  app.add_option("--folds", options.folds, "Column of the fold table (default: the first that --list shows)");
  app.add_option("--features", options.features, "Features of a learner (default: the first that --list shows)");
  app.add_option("--features-out", options.features_out, "Write the features to this table and score nothing");
  app.add_option("--against", options.against, "Show differences to this column, with intervals");
  app.add_flag("--against-baselines,--against-bars", options.against_baselines,
               "Show differences to the best of each baseline");
  app.add_option("--blend", options.blends, "Add the geometric mean of columns: 'both=trees x5+bigru layers x5'")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "Seed of the intervals")->capture_default_str();
  app.add_option("--html", options.html, "Write a page with plots to this file");
  app.add_option("--plot", options.plots, "Column to plot (default: the physics base and the last column)")
      ->allow_extra_args(false);
  app.add_flag("--json", options.json, "Print JSON");
  app.add_flag("--list", options.list, "List the data sets with their open folds and features");
  app.add_flag("--final", options.final_test, "Allow folds that are kept for the last test");
  app.add_option("predictions", options.predictions, "Tables of out-of-fold predictions");
  app.footer(
      "Example:\n  dryfit evaluate --data DIR --set schedtune --folds model12 --against-baselines predictions.csv\n\n"
      "`make evaluate` trains all learners and prints all tables (docs/evaluation.md).\n"
      "Exit code: 0 scored or written, 1 something could not be read or written, 2 wrong usage.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return dryfit::evaluate::evaluate(std::move(options));
}
