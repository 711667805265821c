// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_python.h"

#include <filesystem>
#include <fstream>

#include "files.h"
#include "harvest_counts.h"
#include "harvest_file.h"
#include "harvest_models.h"
#include "harvest_run.h"
#include "launch/command.h"
#include "own_environment.h"
#include "predictor/harvested_job.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBatch = 2;

/// "model.py:Factory" with the whole path of the file.
Result<std::string> absolute_factory(const std::string& factory) {
  const auto colon = factory.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == factory.size()) {
    return Error{"'" + factory + "' does not name a file and what in it makes the model", "Say model.py:make_model."};
  }
  std::error_code error;
  const auto file = fs::absolute(factory.substr(0, colon), error);
  if (error || !fs::is_regular_file(file, error)) {
    return Error{"there is no file '" + factory.substr(0, colon) + "'", "Say model.py:make_model."};
  }
  return file.string() + factory.substr(colon);
}

Status check(const HarvestTally& tally) {
  if (tally.error) return *tally.error;
  if (tally.interrupted) return Error{"interrupted", ""};
  if (tally.killed > 0) return Error{"the dry run of the model was killed from outside", "Is memory short?"};
  return {};
}

/// The one row of the file.
Result<predictor::HarvestedJob> row_in(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::string line;
  std::getline(input, line);
  return predictor::parse_harvested_job(line);
}

Result<predictor::ModelDescription> described(const predictor::HarvestedJob& job, const std::string& factory) {
  if (!is_reference(job)) {
    return Error{"the dry run of '" + factory + "' did not come to the end of a forward pass" +
                     (job.failure.empty() ? "" : ": " + job.failure),
                 "Try the model by itself, in the Python of --interpreter."};
  }
  auto model = describe(job);
  model.source.clear();
  model.name = factory;
  return model;
}

}  // namespace

Result<predictor::ModelDescription> describe_by_dry_run(const PythonModel& model, const Resources& resources,
                                                        const Catalogue& catalogue) {
  const auto factory = absolute_factory(model.factory);
  if (!factory) return factory.error();
  if (const auto found = launch::find_command(model.python, own_environment()); !found) return found.error();
  const auto models = models_in(model.python, resources.hooks);
  if (!models) return models.error();
  const auto folder = WorkFolder::temporary();
  if (!folder) return folder.error();
  const auto path = folder->path() / "row.jsonl";
  auto file = HarvestFile::open(path);
  if (!file) return file.error();
  const HarvestJob job{.source = "python",
                       .model = *factory,
                       .batch = kBatch,
                       .size = static_cast<std::int64_t>(model.size),
                       .optimizer = "sgd",
                       .precision = "fp32",
                       .card = model.card};
  const auto tally = harvest_all({job},
                                 {.process = {.python = model.python, .resources = resources, .timeout = model.timeout},
                                  .torch = models->torch,
                                  .version = DRYFIT_VERSION,
                                  .catalogue = &catalogue,
                                  .count_while_measuring = may_count_while_measuring(models->torch),
                                  .afresh = true},
                                 *file);
  if (auto status = check(tally); !status) return status.error();
  const auto row = row_in(path);
  if (!row) return row.error();
  return described(*row, model.factory);
}

}  // namespace dryfit::cli
