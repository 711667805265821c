// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/schedtune.h"

#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "predictor/input_columns.h"
#include "predictor/nnls.h"

namespace dryfit::predictor {
namespace {

constexpr std::array<InputColumn, 9> kInputs{{{"batchsize"},
                                              {"activations"},
                                              {"parameters"},
                                              {"input"},
                                              {"Pipelines/CUDA cores"},
                                              {"Memory bandwidth (GB/s)"},
                                              {"Memory clock speed (MHz)"},
                                              {"Tensor cores", Scale::log1p},
                                              {"SM count"}}};

constexpr std::array<InputColumn, 3> kTerms{
    {{"activations", Scale::as_is}, {"parameters", Scale::as_is}, {"input", Scale::as_is}}};
constexpr std::size_t kTermCount = kTerms.size() + 1;

struct Grouping {
  const char* kind;
  const char* column;
  std::string (*group)(const std::string& field);
};

std::string itself(const std::string& field) { return field; }
std::string family_of(const std::string& model) { return model.substr(0, model.find_first_of("0123456789")); }

Grouping grouping_by(std::string_view protocol) {
  const auto apart = kept_apart_by(protocol);
  if (apart == "family") return {"families", "model", family_of};
  if (apart == "gpu") return {"GPUs", "Pipelines/CUDA cores", itself};
  return {"models", "model", itself};
}

/// By row: 1, activations, parameters, input.
Result<std::vector<std::vector<double>>> physics_terms_in(const Table& stats) {
  auto terms = inputs_in(stats, kTerms);
  if (!terms) return terms;
  for (auto& row : *terms) row.insert(row.begin(), 1);
  return terms;
}

Result<std::vector<double>> physics(const DataSet& data, const std::vector<std::vector<double>>& terms,
                                    std::span<const std::size_t> training) {
  std::vector<double> rows;
  std::vector<double> measured;
  for (const auto place : training) {
    const auto& example = data.examples[place];
    rows.insert(rows.end(), terms[example.row].begin(), terms[example.row].end());
    measured.push_back(example.truth);
  }
  const auto weights = solve_relative_nnls(rows, measured, kTermCount);
  std::vector<double> base;
  for (const auto& example : data.examples) {
    const auto& of_row = terms[example.row];
    base.push_back(std::inner_product(weights.begin(), weights.end(), of_row.begin(), 0.0));
  }
  return base;
}

Result<std::vector<Example>> examples_in(const Table& stats, const Grouping& grouping) {
  auto inputs = inputs_in(stats, kInputs);
  if (!inputs) return inputs.error();
  const auto peaks = positive_numbers(stats, "peak mem usage");
  if (!peaks) return peaks.error();
  const auto groups = stats.texts(grouping.column);
  if (!groups) return groups.error();
  std::vector<Example> examples;
  for (std::size_t row = 0; row < stats.rows(); ++row) {
    examples.push_back({row, grouping.group((*groups)[row]), (*peaks)[row], std::move((*inputs)[row])});
  }
  return examples;
}

}  // namespace

Result<DataSet> schedtune_set(const Table& stats, const Table& folds, std::string_view protocol) {
  auto used = folds_of(folds, protocol, stats.rows());
  if (!used) return used.error();
  const auto grouping = grouping_by(protocol);
  auto examples = examples_in(stats, grouping);
  if (!examples) return examples.error();
  const auto terms = physics_terms_in(stats);
  if (!terms) return terms.error();
  DataSet data{.name = "schedtune",
               .title = "training peaks of CNNs on several GPUs",
               .quantity = Quantity::memory(),
               .group_kind = grouping.kind,
               .feature_names = names_of(kInputs),
               .base_is_feature = true};
  take_examples(data, std::move(*used), std::move(*examples));
  const auto fit = [&](std::span<const std::size_t> training) { return physics(data, *terms, training); };
  if (auto status = fit_bases(data, fit); !status) return status.error();
  return data;
}

}  // namespace dryfit::predictor
