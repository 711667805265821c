// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "predictor/compute_physics.h"
#include "predictor/data_set.h"
#include "predictor/input_columns.h"
#include "predictor/timm_blocks.h"

namespace dryfit::predictor {
namespace {

constexpr const char* kCard = "rtx-3090-24gb";
constexpr double kSameParameters = 0.02;
constexpr double kMillion = 1e6;
constexpr double kGiga = 1e9;

/// Columns of the feature table, by name.
using Columns = std::map<std::string_view, std::vector<double>>;

Result<Columns> columns_in(const Table& table) {
  Columns columns;
  for (const char* name : {"batch", "img", "params", "gmacs"}) {
    auto numbers = positive_numbers(table, name);
    if (!numbers) return numbers.error();
    columns.emplace(name, std::move(*numbers));
  }
  return columns;
}

ModelDescription model_of(const std::string& name, const Columns& columns, std::size_t i,
                          const std::vector<Block>& blocks) {
  ModelDescription model{.source = "timm", .name = name, .size = columns.at("img")[i]};
  model.parameters = kMillion * columns.at("params")[i];
  model.parameter_bytes = 4 * model.parameters;
  model.flops = kFlopsPerMac * kGiga * columns.at("gmacs")[i];
  model.blocks = blocks;
  for (const auto& block : blocks) model.forward_bytes += block[BlockField::saved_bytes];
  return model;
}

}  // namespace

Result<std::vector<ComputeExample>> timm_steps(const ThroughputTables& tables, std::string_view protocol,
                                               const Catalogue& catalogue) {
  const auto data = timm_throughput_set(tables, protocol, ThroughputFeatures::plain);
  if (!data) return data.error();
  const auto columns = columns_in(tables.features);
  if (!columns) return columns.error();
  const auto rows = tables.features.numbers("row");
  if (!rows) return rows.error();
  const auto names = tables.features.texts("model");
  if (!names) return names.error();
  const auto blocks = blocks_in(tables.blocks);
  if (!blocks) return blocks.error();
  const auto speeds = positive_numbers(tables.measured, "train_samples_per_sec");
  if (!speeds) return speeds.error();
  const auto measured_parameters = positive_numbers(tables.measured, "param_count");
  if (!measured_parameters) return measured_parameters.error();
  std::vector<ComputeExample> examples;
  for (std::size_t place = 0; place < data->examples.size(); ++place) {
    const auto row = data->examples[place].row;
    const auto i = static_cast<std::size_t>(std::ranges::lower_bound(*rows, static_cast<double>(row)) - rows->begin());
    ComputeExample example;
    example.job.model = model_of((*names)[i], *columns, i, blocks->at({(*names)[i], columns->at("img")[i]}));
    example.job.batch = columns->at("batch")[i];
    example.job.optimizer = Optimizer::momentum;
    example.job.precision = Precision::fp16_amp;
    if (auto status = put_on_card(example, catalogue, kCard); !status) return status.error();
    example.seconds = example.job.batch / (*speeds)[row];
    example.group = data->examples[place].group;
    example.fold = data->folds.folds[place];
    example.row = row;
    example.described =
        std::abs(std::log(kMillion * (*measured_parameters)[row] / example.job.model.parameters)) <= kSameParameters;
    if (auto status = check(example.job); !status) return status.error();
    examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace dryfit::predictor
