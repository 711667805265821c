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

/// What is measured, in which unit tables hold it, and in which scores are published.
struct Quantity {
  std::string unit;            ///< of truth, base and predictions: "MiB"
  std::string published_unit;  ///< of scores: "GiB"
  double per_published = 1;    ///< how many of the one are one of the other

  static Quantity memory() { return {"MiB", "GiB", 1024}; }
  static Quantity compute() { return {"TFLOPS", "TFLOPS", 1}; }
};

/// One measurement, as a learner is given it.
struct Example {
  std::size_t row = 0;  ///< of the data table
  std::string group;    ///< whose errors are alike: a module, a model, a GPU
  double truth = 0;     ///< above zero
  std::vector<double> features;
  std::vector<double> tokens;  ///< the parts of a model in their order, DataSet::token_features numbers each
};

/// A data set as every learner sees it: our networks and those they are compared with get the same numbers.
struct DataSet {
  std::string name;   ///< "schedtune"
  std::string title;  ///< "training peaks of 12 CNNs on 5 GPUs"
  Quantity quantity;
  std::string group_kind;  ///< "models": what the groups are
  std::vector<std::string> feature_names;
  std::size_t token_features = 0;  ///< 0: nothing is known of the parts of a model
  std::vector<Example> examples;   ///< those of the fold table, in its order
  Folds folds;                     ///< over `examples`: places, not rows

  /// By fold, of every example: what physics says, knowing only the examples that the fold is trained on.
  std::vector<std::vector<double>> bases;
  bool base_is_feature = false;  ///< its logarithm is the last input

  std::vector<std::size_t> rows() const;
  std::vector<std::string> groups() const;
  std::vector<double> truth() const;
};

/// Fits a base on the examples at these places and gives it for all examples.
using BaseFit = std::function<Result<std::vector<double>>(std::span<const std::size_t> training)>;

/// Sets `bases`. An Error when one cannot be fitted, or is not above zero somewhere.
Status fit_bases(DataSet& data, const BaseFit& fit);

/// What a learner reads of an example in a fold, not yet scaled, and the names of that.
std::vector<double> inputs_of(const DataSet& data, std::size_t fold, std::size_t place);
std::vector<std::string> input_names(const DataSet& data);

/// Takes the examples of the folds from those of all rows, and lets the folds count them.
void take_examples(DataSet& data, Folds folds, std::vector<Example> by_row);

/// "module" of "module5_s0", "gpus" of "gpus": what a protocol keeps apart.
std::string_view kept_apart_by(std::string_view protocol);

}  // namespace dryfit::predictor
