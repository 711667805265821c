// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/folds.h"

namespace dryfit::predictor {

/// What is measured, the unit in tables, and the unit of published scores.
struct Quantity {
  std::string unit;            ///< of truth, base and predictions: "MiB"
  std::string published_unit;  ///< of scores: "GiB"
  double per_published = 1;    ///< how many `unit` are one `published_unit`

  static Quantity memory() { return {"MiB", "GiB", 1024}; }
  static Quantity compute() { return {"TFLOPS", "TFLOPS", 1}; }
};

/// One measurement, as a learner gets it.
struct Example {
  std::size_t row = 0;  ///< of the data table
  std::string group;    ///< examples of a group have similar errors: a module, a model, a GPU
  double truth = 0;     ///< above zero
  std::vector<double> features;
  std::vector<double> tokens;  ///< the parts of a model in their order, DataSet::token_features numbers each
};

/// A data set as every learner sees it: our networks and their comparators get the same numbers.
struct DataSet {
  std::string name;   ///< "schedtune"
  std::string title;  ///< "training peaks of 12 CNNs on 5 GPUs"
  Quantity quantity;
  std::string group_kind;  ///< "models": what the groups are
  std::vector<std::string> feature_names;
  std::size_t token_features = 0;  ///< 0: the parts of a model are unknown
  std::vector<Example> examples;   ///< those of the fold table, in its order
  Folds folds;                     ///< over `examples`: places, not rows

  /// By fold, for every example: the prediction of physics fitted on the fold's training examples only.
  std::vector<std::vector<double>> bases;
  bool base_is_feature = false;  ///< its logarithm is the last input

  std::vector<std::size_t> rows() const;
  std::vector<std::string> groups() const;
  std::vector<double> truth() const;
};

/// Fits a base to the examples at these places and returns its value for all examples.
using BaseFit = std::function<Result<std::vector<double>>(std::span<const std::size_t> training)>;

/// Sets `bases`. An Error if one cannot be fitted, or if one is not above zero everywhere.
Status fit_bases(DataSet& data, const BaseFit& fit);

/// The inputs of a learner for an example in a fold, not yet scaled, and their names.
std::vector<double> inputs_of(const DataSet& data, std::size_t fold, std::size_t place);
std::vector<std::string> input_names(const DataSet& data);

/// Moves the examples that are in the folds out of `by_row`, and renumbers the folds to their places.
void take_examples(DataSet& data, Folds folds, std::vector<Example> by_row);

/// "module" of "module5_s0", "gpus" of "gpus": what a protocol keeps apart.
std::string_view kept_apart_by(std::string_view protocol);

}  // namespace dryfit::predictor
