// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_python.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harvest_counts.h"
#include "harvest_file.h"
#include "harvest_models.h"
#include "harvest_run.h"
#include "launch/command.h"
#include "own_environment.h"
#include "predictor/harvested_job.h"
#include "predictor/known_models.h"
#include "work_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kLargerBatch = 32;

/// The models of the training data were probed on this card too, and everything fits on it.
constexpr const char* kCard = "h200-141gb";

/// "model.py:Factory" with the absolute path of the file.
Result<std::string> absolute_factory(const std::string& factory) {
  const auto colon = factory.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == factory.size()) {
    return Error{"'" + factory + "' does not name a Python file and a function in it",
                 "Write --python model.py:make_model, where make_model() returns the model."};
  }
  std::error_code error;
  const auto file = fs::absolute(factory.substr(0, colon), error);
  if (error || !fs::is_regular_file(file, error)) {
    return Error{"no such file: '" + factory.substr(0, colon) + "'",
                 "Write --python model.py:make_model, where make_model() returns the model."};
  }
  return file.string() + factory.substr(colon);
}

Status check(const HarvestTally& tally) {
  if (tally.error) return *tally.error;
  if (tally.interrupted) return Error{"interrupted", ""};
  if (tally.killed > 0)
    return Error{"the dry run of the model was killed from outside", "Check that this machine has enough free memory."};
  return {};
}

/// The reference and two probes, in the precision and with the checkpointing of the job.
std::vector<HarvestJob> jobs_for(const PythonModel& model, const std::string& factory) {
  HarvestJob job{.source = "python",
                 .model = factory,
                 .batch = kBatch,
                 .size = static_cast<std::int64_t>(model.size),
                 .optimizer = "sgd",
                 .precision = "fp32",
                 .card = kCard};
  std::vector<HarvestJob> jobs{job};
  job.precision = model.precision;
  job.checkpointing = model.checkpointing;
  if (job != jobs.front()) jobs.push_back(job);
  job.batch = model.batch > kBatch ? static_cast<std::int64_t>(model.batch) : kLargerBatch;
  jobs.push_back(job);
  return jobs;
}

Result<std::vector<predictor::HarvestedJob>> rows_in(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::vector<predictor::HarvestedJob> rows;
  for (std::string line; std::getline(input, line);) {
    auto row = predictor::parse_harvested_job(line);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return rows;
}

Error did_not_end(const std::vector<predictor::HarvestedJob>& rows, const std::string& factory) {
  const auto failed = std::ranges::find_if(rows, [](const auto& row) { return !row.failure.empty(); });
  return {"the dry run of '" + factory + "' did not finish a forward pass" +
              (failed == rows.end() ? "" : ": " + failed->failure),
          "Run the model by itself first, with the Python of --interpreter."};
}

Result<predictor::ModelDescription> described(const std::vector<predictor::HarvestedJob>& rows,
                                              double compute_capability, const std::string& factory) {
  predictor::ModelCollector collector;
  for (const auto& row : rows) collector.add(row, compute_capability);
  auto models = collector.models();
  if (models.empty()) return did_not_end(rows, factory);
  auto& model = models.front().description;
  model.source.clear();
  model.name = factory;
  return std::move(model);
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
  const auto path = folder->path() / "rows.jsonl";
  auto file = HarvestFile::open(path);
  if (!file) return file.error();
  const auto* card = catalogue.find(kCard);
  if (card == nullptr)
    return Error{"the GPU description '" + std::string(kCard) + "' is missing", "Install Dryfit again."};
  const auto tally = harvest_all(jobs_for(model, *factory),
                                 {.process = {.python = model.python, .resources = resources, .timeout = model.timeout},
                                  .torch = models->torch,
                                  .version = DRYFIT_VERSION,
                                  .catalogue = &catalogue,
                                  .count_while_measuring = may_count_while_measuring(models->torch),
                                  .afresh = true},
                                 *file);
  if (auto status = check(tally); !status) return status.error();
  const auto rows = rows_in(path);
  if (!rows) return rows.error();
  const auto capability = card->card.compute_capability;
  return described(*rows, capability.major + 0.1 * capability.minor, model.factory);
}

}  // namespace dryfit::cli
