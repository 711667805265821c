// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   dryfit-evaluate --data DIR --folds module5_s0 [--against NAME] [PREDICTIONS.csv ...]
//
// Scores predictions of timm's training peaks that were made without each job's fold, beside the physics base. A column
// "B1 ...", "B2 ..." or "B3 ..." is a comparator of that bar (Note [Bars] in src/predictor/evaluation.h).
//
// Exit code 0: all were scored; 1: something could not be read; 2: wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "predictor/bootstrap.h"
#include "predictor/evaluation.h"

namespace dryfit::predictor {
namespace {

struct Options {
  std::string data;
  std::string folds = "module5_s0";
  std::string against;
  std::uint64_t seed = 1;
  bool final_test = false;
  std::vector<std::string> predictions;
};

int fail(const Error& error, int code = 1) {
  std::fprintf(stderr, "dryfit-evaluate: %s\n", error.what.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  %s\n", error.hint.c_str());
  return code;
}

void print_row(const std::string& name, const Scores& scores) {
  std::printf("%-34s %8.3f %7.3f %7.4f %7.3f %8.4f\n", name.c_str(), scores[Metric::mse], scores[Metric::rmse],
              scores[Metric::mae], scores[Metric::mape], scores[Metric::r2]);
}

std::vector<std::string> modules_of(const TimmMemory& data) {
  std::vector<std::string> modules;
  for (const auto& job : data.jobs) modules.push_back(job.module);
  return modules;
}

void print_table(const Options& options, const TimmMemory& data, const std::vector<Contender>& contenders) {
  const auto groups = number_groups(modules_of(data));
  std::printf("timm training peaks, %s: %zu jobs of %zu modules, %zu folds; GiB, MAPE in %%\n", options.folds.c_str(),
              data.jobs.size(), *std::ranges::max_element(groups) + 1, data.folds.count);
  std::printf("%-34s %8s %7s %7s %7s %8s\n", "", "MSE", "RMSE", "MAE", "MAPE", "R2");
  std::vector<Scores> scores;
  for (const auto& contender : contenders) {
    scores.push_back(score_gib(data, contender.predicted_mib));
    print_row(contender.name, scores.back());
  }
  for (const auto bar : kAllBars) {
    const auto best = score_bar(bar, contenders, scores);
    if (!best.names[0].empty()) print_row("bar " + std::string(to_text(bar)), best.best);
  }
}

std::vector<double> gib(std::vector<double> mib) {
  for (auto& value : mib) value /= 1024;
  return mib;
}

void print_differences(const Options& options, const TimmMemory& data, const std::vector<Contender>& contenders,
                       const Contender& against) {
  std::vector<double> truth;
  for (const auto& job : data.jobs) truth.push_back(job.measured_mib / 1024);
  const auto groups = number_groups(modules_of(data));
  std::printf("\nless '%s'; 95 %% intervals over modules, seed %llu\n", against.name.c_str(),
              static_cast<unsigned long long>(options.seed));
  for (const auto& contender : contenders) {
    if (contender.name == against.name) continue;
    const auto difference =
        compare(truth, gib(contender.predicted_mib), gib(against.predicted_mib), groups, {.seed = options.seed});
    std::printf("%s\n", contender.name.c_str());
    for (const auto metric : kAllMetrics) {
      const auto& interval = difference.interval(metric);
      std::printf("  %-5s %+9.4f [%+9.4f, %+9.4f]\n", std::string(to_text(metric)).c_str(), difference.value[metric],
                  interval.low, interval.high);
    }
  }
}

Status add_predictions(const Options& options, const TimmMemory& data, std::vector<Contender>& contenders) {
  for (const auto& file : options.predictions) {
    const auto table = read_table(file);
    if (!table) return table.error();
    auto read = contenders_in(*table, data.rows);
    if (!read) return Error{file + ": " + read.error().what, read.error().hint};
    std::ranges::move(*read, std::back_inserter(contenders));
  }
  return {};
}

int evaluate(const Options& options) {
  if (is_held_out(options.folds) && !options.final_test) {
    return fail(
        {"the folds '" + options.folds + "' are kept for the last test", "say --final when nothing is chosen any more"},
        2);
  }
  const auto tables = read_timm_tables(options.data);
  if (!tables) return fail(tables.error());
  const auto data = join_timm_memory(*tables, options.folds);
  if (!data) return fail(data.error());
  auto physics = physics_out_of_fold(*data);
  if (!physics) return fail(physics.error());
  std::vector<Contender> contenders{std::move(*physics)};
  if (auto status = add_predictions(options, *data, contenders); !status) return fail(status.error());
  const auto against = std::ranges::find(contenders, options.against, &Contender::name);
  if (!options.against.empty() && against == contenders.end()) {
    return fail({"nobody is named '" + options.against + "'", "name a column of the predictions, or 'physics base'"},
                2);
  }
  print_table(options, *data, contenders);
  if (!options.against.empty()) print_differences(options, *data, contenders, *against);
  return 0;
}

}  // namespace
}  // namespace dryfit::predictor

int main(int argc, char** argv) {
  dryfit::predictor::Options options;
  CLI::App app("Scores predictions of training memory, fold by fold", "dryfit-evaluate");
  app.add_option("--data", options.data, "folder of the data sets")->required();
  app.add_option("--folds", options.folds, "a column of the fold table")->capture_default_str();
  app.add_option("--against", options.against, "show differences to this one, with intervals");
  app.add_option("--seed", options.seed, "of the intervals")->capture_default_str();
  app.add_flag("--final", options.final_test, "allow folds that are kept for the last test");
  app.add_option("predictions", options.predictions, "tables of out-of-fold predictions");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return dryfit::predictor::evaluate(options);
}
