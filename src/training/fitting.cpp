// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/fitting.h"

#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "base/check.h"
#include "predictor/bootstrap.h"
#include "training/network_module.h"
#include "training/seeding.h"

namespace dryfit::training {
namespace {

using torch::Tensor;

/// Places of rows, split into training and validation.
struct Division {
  std::vector<std::int64_t> taught;
  std::vector<std::int64_t> validated;
};

Result<Division> divide(const Examples& examples, const Recipe& recipe, std::mt19937_64& random) {
  Division division;
  const auto groups = predictor::number_groups(examples.groups);
  const auto count = examples.groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
  if (recipe.patience > 0 && count < 2) {
    return Error{"all rows are in one group, so none are left for validation", "Train without --patience."};
  }
  std::set<std::size_t> kept;
  if (recipe.patience > 0) {
    const auto order = shuffled(count, random);
    const auto wanted = std::round(recipe.validation_share * static_cast<double>(count));
    const auto share = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, count - 1);
    kept.insert(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(share));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    (kept.contains(groups[i]) ? division.validated : division.taught).push_back(static_cast<std::int64_t>(i));
  }
  return division;
}

Tensor floats(const std::vector<double>& values) { return torch::tensor(values, torch::kFloat64).to(torch::kFloat32); }

double standard_deviation(const std::vector<double>& values) {
  const auto deviation = torch::tensor(values, torch::kFloat64).std(false).item<double>();
  return deviation > 0 ? deviation : 1;
}

class Fitting {
 public:
  Fitting(const predictor::NetworkShape& shape, const Examples& examples, const Recipe& recipe, Division division,
          std::mt19937_64 random)
      : recipe_(recipe),
        division_(std::move(division)),
        random_(random),
        inputs_(batch_of(shape, examples.inputs)),
        answers_(floats(examples.answers)),
        weights_of_squares_(floats(examples.measured) / standard_deviation(examples.measured)),
        network_(shape),
        average_(shape),
        optimizer_(network_->parameters(),
                   torch::optim::AdamWOptions(recipe.learning_rate).weight_decay(recipe.weight_decay)) {
    set_weights(*average_, weights_of(*network_));
    average_->eval();
  }

  Result<Fitted> run() {
    Fitted best;
    double least = std::numeric_limits<double>::infinity();
    std::size_t since = 0;
    for (std::size_t epoch = 1; epoch <= recipe_.epochs; ++epoch) {
      const double taught = teach_epoch();
      const double loss = recipe_.patience > 0 ? validation_loss() : taught;
      if (!std::isfinite(taught) || !std::isfinite(loss)) {
        return Error{"the loss diverged in epoch " + std::to_string(epoch), "Lower the learning rate."};
      }
      best.epochs = epoch;
      since = loss < least ? 0 : since + 1;
      if (recipe_.patience == 0 || since == 0) {
        least = best.loss = loss;
        best.weights = weights_of(*average_);
      }
      if (recipe_.patience > 0 && since >= recipe_.patience) break;
    }
    return best;
  }

 private:
  std::size_t steps() const { return (division_.taught.size() + recipe_.batch - 1) / recipe_.batch; }

  /// The mean loss over the rows, each at the moment of its own update.
  double teach_epoch() {
    const auto order = shuffled(division_.taught.size(), random_);
    double total = 0;
    for (std::size_t begin = 0; begin < order.size(); begin += recipe_.batch) {
      std::vector<std::int64_t> places;
      for (std::size_t i = begin; i < std::min(begin + recipe_.batch, order.size()); ++i) {
        places.push_back(division_.taught[static_cast<std::size_t>(order[i])]);
      }
      total += teach(torch::tensor(places)) * static_cast<double>(places.size());
    }
    return total / static_cast<double>(order.size());
  }

  double teach(const Tensor& places) {
    const double rate = learning_rate_at(recipe_, step_, recipe_.epochs * steps());
    for (auto& group : optimizer_.param_groups()) group.options().set_lr(rate);
    optimizer_.zero_grad();
    const auto loss = loss_of(network_, places);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(network_->parameters(), recipe_.clip);
    optimizer_.step();
    update_average();
    ++step_;
    return loss.item<double>();
  }

  Tensor loss_of(NetworkModule& network, const Tensor& places) {
    const auto error = network(inputs_.select(places)) - answers_.index_select(0, places);
    const auto robust = torch::huber_loss(error, torch::zeros_like(error), at::Reduction::Mean, recipe_.huber_delta);
    const auto squares = (weights_of_squares_.index_select(0, places) * torch::expm1(error)).square().mean();
    return robust / recipe_.huber_delta + recipe_.squared_share * squares;
  }

  double validation_loss() {
    const torch::NoGradGuard no_gradients;
    return loss_of(average_, torch::tensor(division_.validated)).item<double>();
  }

  void update_average() {
    const torch::NoGradGuard no_gradients;
    const double share = 1 - average_at(recipe_, step_);
    auto averaged = average_->parameters();
    const auto present = network_->parameters();
    for (std::size_t i = 0; i < averaged.size(); ++i) averaged[i].lerp_(present[i], share);
  }

  Recipe recipe_;
  Division division_;
  std::mt19937_64 random_;
  InputBatch inputs_;
  Tensor answers_;
  Tensor weights_of_squares_;
  NetworkModule network_;
  NetworkModule average_;
  torch::optim::AdamW optimizer_;
  std::size_t step_ = 0;
};

}  // namespace

Result<Fitted> fit_network(const predictor::NetworkShape& shape, const Examples& examples, const Recipe& recipe,
                           std::uint64_t seed) {
  const auto rows = examples.inputs.size();
  DRYFIT_CHECK(examples.answers.size() == rows && examples.measured.size() == rows && examples.groups.size() == rows);
  if (auto status = check(shape); !status) return status.error();
  if (auto status = check(recipe); !status) return status.error();
  if (rows == 0) return Error{"no rows to learn from", ""};
  std::mt19937_64 random(seed);
  auto division = divide(examples, recipe, random);
  if (!division) return division.error();
  begin_with_seed(seed);
  return Fitting(shape, examples, recipe, std::move(*division), random).run();
}

}  // namespace dryfit::training
