// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_memory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "predictor/physics_base.h"
#include "predictor/timm_blocks.h"

namespace dryfit::predictor {
namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

struct Size {
  double table = 0;
  double train = 0;
};

/// Several columns at once, or the first thing wrong with them.
Result<std::vector<Numbers>> columns(const Table& table, std::initializer_list<std::string_view> names) {
  std::vector<Numbers> found;
  for (const auto name : names) {
    auto numbers = table.numbers(name);
    if (!numbers) return numbers.error();
    found.push_back(std::move(*numbers));
  }
  return found;
}

Result<std::map<std::string, Size>> sizes_by_model(const Table& table) {
  const auto models = table.texts("model");
  if (!models) return models.error();
  const auto numbers = columns(table, {"table_img", "train_img"});
  if (!numbers) return numbers.error();
  std::map<std::string, Size> sizes;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Size size{(*numbers)[0][row], (*numbers)[1][row]};
    if (size.table <= 0 || size.train <= 0) return Error{table.place(row) + ": an image size is not above zero", ""};
    sizes[(*models)[row]] = size;
  }
  return sizes;
}

Result<std::map<std::string, std::string>> modules_by_model(const Table& table) {
  auto models = table.texts("model");
  if (!models) return models.error();
  auto modules = table.texts("module");
  if (!modules) return modules.error();
  std::map<std::string, std::string> result;
  for (std::size_t row = 0; row < table.rows(); ++row) result[(*models)[row]] = (*modules)[row];
  return result;
}

/// What is known of models, and the columns of the memory table.
class Join {
 public:
  static Result<Join> of(const TimmTables& tables) {
    Join join(tables.memory);
    auto models = tables.memory.texts("model");
    if (!models) return models.error();
    auto numbers = columns(tables.memory, {"batch_size", "param_count_m", "gmacs", "macts_m", "faketensor_mib",
                                           "measured_max_gpu_mem_mib"});
    if (!numbers) return numbers.error();
    auto sizes = sizes_by_model(tables.sizes);
    if (!sizes) return sizes.error();
    auto modules = modules_by_model(tables.modules);
    if (!modules) return modules.error();
    auto blocks = blocks_in(tables.blocks);
    if (!blocks) return blocks.error();
    join.models_ = std::move(*models);
    join.numbers_ = std::move(*numbers);
    join.sizes_ = std::move(*sizes);
    join.modules_ = std::move(*modules);
    join.blocks_ = std::move(*blocks);
    return join;
  }

  Result<MeasuredJob> row(std::size_t row) const {
    const auto& model = models_[row];
    const auto size = sizes_.find(model);
    if (size == sizes_.end()) return unknown(row, "training size");
    const auto module = modules_.find(model);
    if (module == modules_.end()) return unknown(row, "module");
    const auto blocks = blocks_.find({model, size->second.train});
    if (blocks == blocks_.end()) return unknown(row, "list of blocks at its training size");
    const double area = std::pow(size->second.train / size->second.table, 2);
    const auto number = [&](std::size_t column) { return numbers_[column][row]; };
    MeasuredJob measured{model,
                         module->second,
                         {.batch = number(0),
                          .image = size->second.train,
                          .params_m = number(1),
                          .gmacs = number(2) * area,
                          .macts_m = number(3) * area,
                          .estimate_mib = number(4),
                          .blocks = blocks->second},
                         number(5)};
    if (auto status = check(measured.job); !status) return at(row, status.error());
    if (measured.measured_mib <= 0) return at(row, {"the measured peak is not above zero", ""});
    return measured;
  }

 private:
  explicit Join(const Table& memory) : memory_(&memory) {}

  Error at(std::size_t row, const Error& error) const { return {memory_->place(row) + ": " + error.what, error.hint}; }

  Error unknown(std::size_t row, const std::string& what) const {
    return at(row, {"no " + what + " is known for the model '" + models_[row] + "'", "Add it, or leave the row out."});
  }

  const Table* memory_;
  Texts models_;
  std::vector<Numbers> numbers_;
  std::map<std::string, Size> sizes_;
  std::map<std::string, std::string> modules_;
  BlockLists blocks_;
};

Result<std::vector<double>> physics(const TimmMemory& memory, std::span<const std::size_t> training) {
  std::vector<Job> jobs;
  Numbers measured;
  for (const auto place : training) {
    jobs.push_back(memory.jobs[place].job);
    measured.push_back(memory.jobs[place].measured_mib);
  }
  const auto base = fit_physics(jobs, measured);
  if (!base) return base.error();
  Numbers estimates;
  for (const auto& job : memory.jobs) estimates.push_back(base->estimate_mib(job.job));
  return estimates;
}

}  // namespace

Result<TimmTables> read_timm_tables(const std::filesystem::path& folder) {
  TimmTables tables;
  const std::pair<Table*, const char*> files[] = {{&tables.memory, "timm-train-memory.csv"},
                                                  {&tables.folds, "splits/timm-train-memory-ok.csv"},
                                                  {&tables.sizes, "splits/timm-train-size.csv"},
                                                  {&tables.modules, "splits/timm-model-module.csv"},
                                                  {&tables.blocks, "splits/timm-blocks16.csv"}};
  for (const auto& [table, file] : files) {
    auto read = read_table(folder / file);
    if (!read) return read.error();
    *table = std::move(*read);
  }
  return tables;
}

Result<TimmMemory> join_timm_memory(const TimmTables& tables, std::string_view protocol) {
  auto folds = folds_of(tables.folds, protocol, tables.memory.rows());
  if (!folds) return folds.error();
  const auto join = Join::of(tables);
  if (!join) return join.error();
  TimmMemory result;
  result.rows = folds->rows;
  for (auto& row : folds->rows) {
    auto job = join->row(row);
    if (!job) return job.error();
    row = result.jobs.size();
    result.jobs.push_back(std::move(*job));
  }
  result.folds = std::move(*folds);
  return result;
}

Result<DataSet> timm_memory_set(const TimmMemory& memory, std::string_view protocol, FeatureSet features) {
  const bool by_module = kept_apart_by(protocol) == "module";
  DataSet data{.name = "timm-memory",
               .title = "training peaks of timm's models",
               .quantity = Quantity::memory(),
               .group_kind = by_module ? "modules" : "models",
               .feature_names = feature_names(features),
               .token_features = kBlockFields,
               .folds = memory.folds};
  for (std::size_t place = 0; place < memory.jobs.size(); ++place) {
    const auto& job = memory.jobs[place];
    data.examples.push_back({memory.rows[place], by_module ? job.module : job.model, job.measured_mib,
                             features_of(job.job, features), block_tokens_of({job.job.blocks, job.job.batch})});
  }
  const auto fit = [&](std::span<const std::size_t> training) { return physics(memory, training); };
  if (auto status = fit_bases(data, fit); !status) return status.error();
  return data;
}

}  // namespace dryfit::predictor
