// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/network_learner.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "predictor/median.h"
#include "predictor/network.h"
#include "predictor/piecewise.h"
#include "predictor/scaler.h"
#include "training/fitting.h"

namespace dryfit::training {
namespace {

using predictor::DataSet;
using predictor::NetworkInput;

double log_ratio(const DataSet& data, std::size_t fold, std::size_t place) {
  return std::log(data.examples[place].truth / data.bases[fold][place]);
}

/// How an example becomes the input of a network; fitted on a fold's training examples.
class SetEncoding {
 public:
  SetEncoding(const DataSet& data, std::size_t fold, const NetworkPlan& plan) : data_(data), fold_(fold), plan_(plan) {
    std::vector<double> rows;
    std::vector<double> tokens;
    for (const auto place : data.folds.trained_in(fold)) {
      std::ranges::copy(predictor::inputs_of(data, fold, place), std::back_inserter(rows));
      std::ranges::copy(data.examples[place].tokens, std::back_inserter(tokens));
    }
    const auto inputs = predictor::input_names(data).size();
    inputs_ = predictor::fit_scaler(rows, inputs);
    if (plan.reads_blocks) tokens_ = predictor::fit_scaler(tokens, data.token_features);
    if (plan.bins > 0) piecewise_ = predictor::fit_piecewise(inputs_.apply(rows), inputs, plan.bins);
  }

  NetworkInput encode(std::size_t place) const {
    NetworkInput input{.job = inputs_.apply(predictor::inputs_of(data_, fold_, place)), .tokens = {}};
    if (plan_.reads_blocks) {
      input.tokens = tokens_.apply(data_.examples[place].tokens);
    } else {
      input.tokens = plan_.bins > 0 ? piecewise_.apply(input.job) : input.job;
    }
    return input;
  }

  predictor::NetworkShape shape() const {
    return plan_.reads_blocks ? predictor::sequence_shape(plan_.core, inputs_.columns(), tokens_.columns())
                              : predictor::flat_shape(plan_.core, inputs_.columns(), plan_.bins);
  }

 private:
  const DataSet& data_;
  std::size_t fold_;
  const NetworkPlan& plan_;
  predictor::Scaler inputs_;
  predictor::Scaler tokens_;
  predictor::Piecewise piecewise_;
};

double offset_of(const DataSet& data, std::size_t fold) {
  std::vector<double> ratios;
  for (const auto place : data.folds.trained_in(fold)) ratios.push_back(log_ratio(data, fold, place));
  return predictor::median(std::move(ratios));
}

Examples examples_of(const DataSet& data, std::size_t fold, const SetEncoding& encoding, double offset) {
  Examples examples;
  for (const auto place : data.folds.trained_in(fold)) {
    examples.inputs.push_back(encoding.encode(place));
    examples.answers.push_back(log_ratio(data, fold, place) - offset);
    examples.measured.push_back(data.examples[place].truth);
    examples.groups.push_back(data.examples[place].group);
  }
  return examples;
}

Result<std::vector<double>> learn(const NetworkPlan& plan, const DataSet& data, std::size_t fold, std::uint64_t seed,
                                  const Report& report) {
  if (plan.reads_blocks && data.token_features == 0) {
    return Error{"the data set '" + data.name + "' has no blocks", "Use a network over its features: flat."};
  }
  const SetEncoding encoding(data, fold, plan);
  const double offset = offset_of(data, fold);
  const auto examples = examples_of(data, fold, encoding, offset);
  const auto fitted = fit_network(encoding.shape(), examples, plan.recipe, seed);
  if (!fitted) return fitted.error();
  report("seed " + std::to_string(seed) + ": " + std::to_string(examples.inputs.size()) + " examples, " +
         std::to_string(fitted->epochs) + " epochs, loss " + std::to_string(fitted->loss));
  const auto network = predictor::Network::of(encoding.shape(), fitted->weights);
  if (!network) return network.error();
  std::vector<double> predicted;
  for (const auto place : data.folds.tested_in(fold)) {
    const auto input = encoding.encode(place);
    predicted.push_back(data.bases[fold][place] * std::exp(offset + network->answer(input.job, input.tokens)));
    if (!std::isfinite(predicted.back()) || predicted.back() <= 0) {
      return Error{"row " + std::to_string(data.examples[place].row) + " is too different from the training data",
                   "Lower the learning rate."};
    }
  }
  return predicted;
}

}  // namespace

Learner learner_of(const NetworkPlan& plan, const Report& report) {
  return [plan, report](const DataSet& data, std::size_t fold, std::uint64_t seed) {
    return learn(plan, data, fold, seed, report);
  };
}

}  // namespace dryfit::training
