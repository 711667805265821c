// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/published_fitting.h"

#include <ATen/ops/_fused_adam.h>
#include <torch/nn/modules/container/any.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "training/published_networks.h"
#include "training/seeding.h"

namespace dryfit::training {
namespace {

using predictor::DataSet;
using torch::Tensor;

constexpr std::int64_t kAskedAtOnce = 512;

/// Scales columns to the range from 0 to 1 on the training rows.
struct MinMax {
  Tensor least;
  Tensor span;

  explicit MinMax(const Tensor& known) : least(known.amin(0)), span(known.amax(0) - least) {
    span = torch::where(span > 0, span, torch::ones_like(span));
  }
  Tensor apply(const Tensor& values) const { return ((values - least) / span).to(torch::kFloat32); }
};

using Places = std::vector<std::size_t>;

Tensor inputs_at(const DataSet& data, std::size_t fold, const Places& places) {
  std::vector<double> values;
  for (const auto place : places) std::ranges::copy(inputs_of(data, fold, place), std::back_inserter(values));
  return torch::tensor(values, torch::kFloat64).view({static_cast<std::int64_t>(places.size()), -1});
}

Tensor truth_at(const DataSet& data, const Places& places) {
  std::vector<double> truth;
  for (const auto place : places) truth.push_back(data.examples[place].truth);
  return torch::tensor(truth, torch::kFloat64);
}

/// Adam as MATLAB and libtorch have it, in one pass over the memory of each parameter. libtorch's own optimizer goes
/// over it several times, which matters with 19 million of them.
class Adam {
 public:
  explicit Adam(std::vector<Tensor> parameters) : parameters_(std::move(parameters)) {
    for (const auto& parameter : parameters_) {
      means_.push_back(torch::zeros_like(parameter));
      squares_.push_back(torch::zeros_like(parameter));
      steps_.push_back(torch::zeros({}, torch::kFloat32));
    }
  }

  void step(double rate) {
    const torch::NoGradGuard no_gradients;
    std::vector<Tensor> gradients;
    for (const auto& parameter : parameters_) gradients.push_back(parameter.grad());
    for (auto& step : steps_) step.add_(1);
    at::_fused_adam_(parameters_, gradients, means_, squares_, /*max_exp_avg_sqs=*/{}, steps_, rate, /*beta1=*/0.9,
                     /*beta2=*/0.999, /*weight_decay=*/0, /*eps=*/1e-8, /*amsgrad=*/false, /*maximize=*/false);
  }

 private:
  std::vector<Tensor> parameters_, means_, squares_, steps_;
};

class PublishedFitting {
 public:
  PublishedFitting(const torch::nn::AnyModule& network, const PublishedRecipe& recipe, std::uint64_t seed)
      : network_(network), recipe_(recipe), random_(seed), optimizer_(network.ptr()->parameters()) {}

  /// The mean loss of the last epoch; NaN if it diverged.
  double run(const Tensor& x, const Tensor& y) {
    double loss = 0;
    const auto epochs = epochs_over(static_cast<std::size_t>(x.size(0)), recipe_);
    for (std::size_t epoch = 0; epoch < epochs && std::isfinite(loss); ++epoch) {
      const bool dropped = recipe_.drop_after > 0 && epoch >= recipe_.drop_after;
      loss = teach_epoch(x, y, recipe_.learning_rate * (dropped ? 0.1 : 1));
    }
    return loss;
  }

  Tensor answers(const Tensor& x) {
    const torch::NoGradGuard no_gradients;
    network_.ptr()->eval();
    std::vector<Tensor> parts;
    for (const auto& part : x.split(kAskedAtOnce)) parts.push_back(network_.forward(part));
    return torch::cat(parts).to(torch::kFloat64);
  }

 private:
  double teach_epoch(const Tensor& x, const Tensor& y, double rate) {
    const auto order = torch::tensor(shuffled(static_cast<std::size_t>(x.size(0)), random_));
    double total = 0;
    for (const auto& places : order.split(static_cast<std::int64_t>(recipe_.batch))) {
      network_.ptr()->zero_grad();
      const auto error = network_.forward(x.index_select(0, places)) - y.index_select(0, places);
      const auto loss = 0.5 * error.square().mean();
      loss.backward();
      change_gradients();
      optimizer_.step(rate);
      total += loss.item<double>() * static_cast<double>(places.size(0));
    }
    return total / static_cast<double>(x.size(0));
  }

  void change_gradients() {
    const torch::NoGradGuard no_gradients;
    for (auto& parameter : network_.ptr()->named_parameters()) {
      auto& gradient = parameter.value().mutable_grad();
      const bool decays = recipe_.decay > 0 && !parameter.key().ends_with("bias");
      if (decays) gradient.add_(parameter.value(), recipe_.decay);
      const double norm = gradient.norm().item<double>();
      if (norm > recipe_.clip) gradient.mul_(recipe_.clip / norm);
    }
  }

  torch::nn::AnyModule network_;
  PublishedRecipe recipe_;
  std::mt19937_64 random_;
  Adam optimizer_;
};

torch::nn::AnyModule network_of(const PublishedPlan& plan, std::int64_t columns) {
  const auto channels = plan.reading == Reading::channels ? columns : 1;
  if (plan.paper == Paper::one) return torch::nn::AnyModule(Paper1Network(channels));
  return torch::nn::AnyModule(Paper2Network(channels));
}

/// Rows x tokens x channels.
Tensor as_sequence(const PublishedPlan& plan, const Tensor& rows) {
  return rows.unsqueeze(plan.reading == Reading::channels ? 1 : 2);
}

Result<std::vector<double>> learn(const PublishedPlan& plan, const DataSet& data, std::size_t fold, std::uint64_t seed,
                                  const Report& report) {
  begin_with_seed(seed);
  const auto known = data.folds.trained_in(fold);
  const auto inputs = inputs_at(data, fold, known);
  const auto truth = truth_at(data, known);
  const MinMax columns(inputs);
  const MinMax amounts(truth);
  PublishedFitting fitting(network_of(plan, inputs.size(1)), plan.recipe, seed);
  const double loss = fitting.run(as_sequence(plan, columns.apply(inputs)), amounts.apply(truth));
  if (!std::isfinite(loss)) return Error{"the loss diverged", "Lower the learning rate."};
  report("seed " + std::to_string(seed) + ": " + std::to_string(known.size()) + " examples, " +
         std::to_string(epochs_over(known.size(), plan.recipe)) + " epochs, loss " + std::to_string(loss));
  const auto tested = inputs_at(data, fold, data.folds.tested_in(fold));
  const auto scaled = fitting.answers(as_sequence(plan, columns.apply(tested)));
  const auto predicted = (scaled * amounts.span + amounts.least).clamp_min(amounts.least.item<double>());
  return std::vector<double>(predicted.const_data_ptr<double>(),
                             predicted.const_data_ptr<double>() + predicted.numel());
}

}  // namespace

std::size_t epochs_over(std::size_t examples, const PublishedRecipe& recipe) {
  if (recipe.most_updates == 0) return recipe.epochs;
  const auto updates_each = (examples + recipe.batch - 1) / recipe.batch;
  return std::min(recipe.epochs,
                  std::max<std::size_t>(1, recipe.most_updates / std::max<std::size_t>(1, updates_each)));
}

PublishedRecipe published_recipe(Paper paper) {
  if (paper == Paper::one) return {.epochs = 50, .batch = 64, .most_updates = 1000, .learning_rate = 1e-4, .clip = 10};
  return {.epochs = 200, .batch = 256, .learning_rate = 0.01, .drop_after = 80, .decay = 0.001, .clip = 10};
}

std::string to_text(const PublishedRecipe& recipe) {
  char text[160];
  std::snprintf(text, sizeof text, "epochs %zu, batch %zu, learning rate %g, drop after %zu, decay %g, clip %g",
                recipe.epochs, recipe.batch, recipe.learning_rate, recipe.drop_after, recipe.decay, recipe.clip);
  const auto most = recipe.most_updates;
  return most == 0 ? text : text + (", most updates " + std::to_string(most));
}

Learner learner_of(const PublishedPlan& plan, const Report& report) {
  return [plan, report](const DataSet& data, std::size_t fold, std::uint64_t seed) {
    return learn(plan, data, fold, seed, report);
  };
}

}  // namespace dryfit::training
