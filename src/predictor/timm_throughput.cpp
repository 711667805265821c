// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_throughput.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "predictor/compute_physics.h"
#include "predictor/features.h"
#include "predictor/input_columns.h"
#include "predictor/median.h"
#include "predictor/timm_blocks.h"

namespace dryfit::predictor {
namespace {

constexpr double kGigaPerTera = 1000;

constexpr std::array<InputColumn, 12> kInputs{{{"params"},
                                               {"batch"},
                                               {"img"},
                                               {"layers"},
                                               {"gmacs"},
                                               {"bytes"},
                                               {"ew"},
                                               {"dws", Scale::as_is},
                                               {"lins", Scale::as_is},
                                               {"memsh", Scale::as_is},
                                               {"roof_t"},
                                               {"roof_gf"}}};
constexpr std::size_t kPlainInputs = 5;

std::span<const InputColumn> columns_of(ThroughputFeatures features) {
  const std::span<const InputColumn> all = kInputs;
  return features == ThroughputFeatures::plain ? all.first(kPlainInputs) : all;
}

/// The feature table, by row of the measured one.
class Features {
 public:
  static Result<Features> of(const ThroughputTables& tables, std::span<const InputColumn> columns) {
    Features result;
    auto inputs = inputs_in(tables.features, columns);
    if (!inputs) return inputs.error();
    auto modules = tables.features.texts("module");
    if (!modules) return modules.error();
    auto gmacs = positive_numbers(tables.features, "gmacs");
    if (!gmacs) return gmacs.error();
    auto roofline = positive_numbers(tables.features, "roof_gf");
    if (!roofline) return roofline.error();
    if (auto status = result.find_rows(tables); !status) return status.error();
    if (auto status = result.find_tokens(tables); !status) return status.error();
    result.inputs_ = std::move(*inputs);
    result.modules_ = std::move(*modules);
    result.gmacs_ = std::move(*gmacs);
    result.roofline_ = std::move(*roofline);
    return result;
  }

  const std::vector<std::size_t>& rows() const { return rows_; }

  /// Of every row of the measured table; those without features are empty.
  std::vector<Example> examples(const std::vector<double>& samples_per_second) const {
    std::vector<Example> examples(samples_per_second.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto row = rows_[i];
      const double tflops = kFlopsPerMac * gmacs_[i] * samples_per_second[row] / kGigaPerTera;
      examples[row] = {row, modules_[i], tflops, inputs_[i], tokens_[i]};
    }
    return examples;
  }

  /// TFLOPS, of the examples.
  std::vector<double> roofline(const DataSet& data) const {
    std::vector<double> result;
    for (const auto& example : data.examples) {
      const auto place = std::ranges::lower_bound(rows_, example.row) - rows_.begin();
      result.push_back(roofline_[static_cast<std::size_t>(place)] / kGigaPerTera);
    }
    return result;
  }

 private:
  Status find_rows(const ThroughputTables& tables) {
    const auto numbers = tables.features.numbers("row");
    if (!numbers) return numbers.error();
    const auto models = tables.features.texts("model");
    if (!models) return models.error();
    const auto measured = tables.measured.texts("model");
    if (!measured) return measured.error();
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const double row = (*numbers)[i];
      const bool is_next = row == std::floor(row) && row >= (rows_.empty() ? 0 : static_cast<double>(rows_.back() + 1));
      if (!is_next || row >= static_cast<double>(measured->size()) ||
          (*measured)[static_cast<std::size_t>(row)] != (*models)[i]) {
        return Error{tables.features.place(i) + ": the row is not the next one of the model '" + (*models)[i] + "'",
                     "Use the features that belong to the measured table."};
      }
      rows_.push_back(static_cast<std::size_t>(row));
    }
    return {};
  }

  Status find_tokens(const ThroughputTables& tables) {
    const auto models = tables.features.texts("model");
    if (!models) return models.error();
    const auto batches = positive_numbers(tables.features, "batch");
    if (!batches) return batches.error();
    const auto images = positive_numbers(tables.features, "img");
    if (!images) return images.error();
    const auto blocks = blocks_in(tables.blocks);
    if (!blocks) return blocks.error();
    for (std::size_t i = 0; i < models->size(); ++i) {
      const auto found = blocks->find({(*models)[i], (*images)[i]});
      if (found == blocks->end()) {
        return Error{
            tables.features.place(i) + ": no blocks are known for the model '" + (*models)[i] + "' at its image size",
            "Add them, or leave the row out."};
      }
      tokens_.push_back(block_tokens_of({found->second, (*batches)[i]}));
    }
    return {};
  }

  std::vector<std::size_t> rows_;  ///< ascending
  std::vector<std::vector<double>> inputs_;
  std::vector<std::vector<double>> tokens_;
  std::vector<std::string> modules_;
  std::vector<double> gmacs_;
  std::vector<double> roofline_;
};

std::vector<double> scaled_roofline(const DataSet& data, std::vector<double> roofline,
                                    std::span<const std::size_t> training) {
  std::vector<double> ratios;
  for (const auto place : training) ratios.push_back(data.examples[place].truth / roofline[place]);
  const double factor = median(std::move(ratios));
  for (auto& value : roofline) value *= factor;
  return roofline;
}

}  // namespace

Result<DataSet> timm_throughput_set(const ThroughputTables& tables, std::string_view protocol,
                                    ThroughputFeatures features) {
  const auto columns = columns_of(features);
  const auto known = Features::of(tables, columns);
  if (!known) return known.error();
  const auto samples = positive_numbers(tables.measured, "train_samples_per_sec");
  if (!samples) return samples.error();
  const auto folds = folds_of(tables.folds, protocol, tables.measured.rows());
  if (!folds) return folds.error();
  auto used = among(*folds, known->rows());
  if (!used) return used.error();
  DataSet data{.name = "timm-throughput",
               .title = "training throughput of timm's models on an RTX 3090",
               .quantity = Quantity::compute(),
               .group_kind = "modules",
               .feature_names = names_of(columns),
               .token_features = kBlockFields};
  take_examples(data, std::move(*used), known->examples(*samples));
  const auto roofline = known->roofline(data);
  const auto fit = [&](std::span<const std::size_t> training) -> Result<std::vector<double>> {
    return scaled_roofline(data, roofline, training);
  };
  if (auto status = fit_bases(data, fit); !status) return status.error();
  return data;
}

}  // namespace dryfit::predictor
