// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/memory_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace dryfit::predictor {
namespace {

template <class Values>
bool all_finite(const Values& values) {
  return std::ranges::all_of(values, [](auto value) { return std::isfinite(value); });
}

bool is_sound(const Scaler& scaler, std::size_t columns) {
  return scaler.mean.size() == columns && scaler.scale.size() == columns && all_finite(scaler.mean) &&
         all_finite(scaler.scale);
}

bool has_sound_tokens(const Encoding& encoding, const NetworkShape& shape) {
  if (encoding.reads_blocks()) {
    return shape.token_maps == 1 && shape.token_features == kBlockFields && shape.most_tokens >= kMostBlocks &&
           is_sound(encoding.block, kBlockFields);
  }
  const auto& piecewise = encoding.piecewise;
  return shape.token_features == piecewise.bins + 1 && shape.token_maps == shape.job_features &&
         piecewise.edges.size() == shape.job_features * (piecewise.bins + 1) && all_finite(piecewise.edges);
}

bool has_sound_base(const PhysicsBase& base) {
  return all_finite(base.weights) && std::ranges::all_of(base.weights, [](double weight) { return weight >= 0; }) &&
         std::ranges::any_of(base.weights, [](double weight) { return weight > 0; });
}

Status check(const MemoryModel& model) {
  const auto& card = model.card;
  for (const auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) {
    if (text->empty()) return Error{"the model's card is not filled in", "say all that ModelCard asks for"};
  }
  const auto bad = [&](const char* what) { return Error{"the model '" + card.name + "': " + what, "train it again"}; };
  const auto features = feature_count(model.encoding.features);
  if (model.shape.job_features != features || !is_sound(model.encoding.job, features)) {
    return bad("its features do not fit its network");
  }
  if (!has_sound_tokens(model.encoding, model.shape)) return bad("its tokens do not fit its network");
  if (!has_sound_base(model.base) || !std::isfinite(model.offset)) return bad("its physics base makes no sense");
  if (model.members.empty()) return bad("it has no network");
  return {};
}

}  // namespace

Encoding fit_encoding(const std::vector<Job>& jobs, FeatureSet features, std::size_t bins) {
  std::vector<double> rows;
  std::vector<double> blocks;
  for (const auto& job : jobs) {
    std::ranges::copy(features_of(job, features), std::back_inserter(rows));
    std::ranges::copy(block_tokens_of({job.blocks, job.batch}), std::back_inserter(blocks));
  }
  Encoding encoding{.features = features, .job = fit_scaler(rows, feature_count(features))};
  if (bins > 0) {
    encoding.piecewise = fit_piecewise(encoding.job.apply(rows), feature_count(features), bins);
  } else {
    encoding.block = fit_scaler(blocks, kBlockFields);
  }
  return encoding;
}

NetworkInput encode(const Encoding& encoding, const Job& job) {
  NetworkInput input{.job = encoding.job.apply(features_of(job, encoding.features))};
  input.tokens = encoding.reads_blocks() ? encoding.block.apply(block_tokens_of({job.blocks, job.batch}))
                                         : encoding.piecewise.apply(input.job);
  return input;
}

Result<MemoryPredictor> MemoryPredictor::of(const MemoryModel& model, const Kernels& kernels) {
  if (auto status = check(model); !status) return status.error();
  MemoryPredictor predictor;
  predictor.card_ = model.card;
  predictor.encoding_ = model.encoding;
  predictor.base_ = model.base;
  predictor.offset_ = model.offset;
  for (const auto& weights : model.members) {
    auto network = Network::of(model.shape, weights, kernels);
    if (!network) return Error{"the model '" + model.card.name + "': " + network.error().what, network.error().hint};
    predictor.networks_.push_back(std::move(*network));
  }
  return predictor;
}

Result<double> MemoryPredictor::peak_mib(const Job& job) const {
  if (auto status = predictor::check(job); !status) return status.error();
  const bool needs_blocks = encoding_.reads_blocks() || encoding_.features == FeatureSet::layers;
  if (needs_blocks && job.blocks.empty()) {
    return Error{"the model '" + card_.name + "' needs the job's blocks", "give them, or take a model of plain jobs"};
  }
  const auto input = encode(encoding_, job);
  double sum = 0;
  for (const auto& network : networks_) sum += network.answer(input.job, input.tokens);
  const double peak = base_.estimate_mib(job) * std::exp(offset_ + sum / static_cast<double>(networks_.size()));
  if (!std::isfinite(peak)) {
    return Error{"the job is too far from what the model '" + card_.name + "' has learned", "run it dry instead"};
  }
  return peak;
}

}  // namespace dryfit::predictor
