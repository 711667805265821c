// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/memory_model.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <iterator>
#include <span>
#include <thread>
#include <utility>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

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

constexpr std::size_t rounded_up(std::size_t size) { return (size + 7) / 8 * 8; }

constexpr std::size_t kMostNumbers =
    kPlainFeatures + rounded_up(kLayerFeatures - kPlainFeatures + kMostBlocks * kBlockFields);

/// log(x) of the plain features, which come first, and log(1 + x) of the others. Overwrites what follows the numbers,
/// up to the next multiple of 8.
void take_logarithms(std::span<double> numbers, const Kernels& kernels) {
  for (auto& number : numbers.first(kPlainFeatures)) number = std::log(number);
  const auto others = numbers.subspan(kPlainFeatures);
  std::fill(others.data() + others.size(), others.data() + rounded_up(others.size()), 0.0);
  kernels.log1p(others.data(), rounded_up(others.size()));
}

Status check(const MemoryModel& model) {
  const auto& card = model.card;
  for (const auto* text : {&card.name, &card.data, &card.date, &card.folds, &card.errors, &card.licence}) {
    if (text->empty()) return Error{"the model's description is incomplete", "Fill in every field of ModelCard."};
  }
  const auto bad = [&](const char* what) { return Error{"the model '" + card.name + "': " + what, "Train it again."}; };
  const auto features = feature_count(model.encoding.features);
  if (model.shape.job_features != features || !is_sound(model.encoding.job, features)) {
    return bad("its features do not match its network");
  }
  if (!has_sound_tokens(model.encoding, model.shape)) return bad("its tokens do not match its network");
  if (!has_sound_base(model.base) || !std::isfinite(model.offset)) return bad("its physics base is invalid");
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
  NetworkInput input;
  encode(encoding, job, best_kernels(), input);
  return input;
}

void encode(const Encoding& encoding, const Job& job, const Kernels& kernels, NetworkInput& input) {
  DRYFIT_CHECK(job.blocks.size() <= kMostBlocks);
  const auto count = feature_count(encoding.features);
  const auto fields = encoding.reads_blocks() ? job.blocks.size() * kBlockFields : 0;
  std::array<double, kMostNumbers> numbers;
  const auto features = std::span(numbers).first(count);
  const auto blocks = std::span(numbers).subspan(count, fields);
  amounts_of(job, encoding.features, features);
  if (fields > 0) block_amounts_of({job.blocks, job.batch}, blocks);
  take_logarithms(std::span(numbers).first(count + fields), kernels);
  input.job.resize(count);
  encoding.job.apply(features, input.job);
  input.tokens.resize(encoding.reads_blocks() ? fields : encoding.piecewise.edges.size());
  if (encoding.reads_blocks()) {
    encoding.block.apply(blocks, input.tokens);
  } else {
    encoding.piecewise.apply(input.job, input.tokens);
  }
}

Result<MemoryPredictor> MemoryPredictor::of(const MemoryModel& model, const Kernels& kernels) {
  if (auto status = check(model); !status) return status.error();
  MemoryPredictor predictor;
  predictor.kernels_ = &kernels;
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
    return Error{"the model '" + card_.name + "' needs the job's blocks", "Give them, or use a model that needs none."};
  }
  thread_local NetworkInput input;
  encode(encoding_, job, *kernels_, input);
  double sum = 0;
  for (const auto& network : networks_) sum += network.answer(input.job, input.tokens);
  const double peak = base_.estimate_mib(job) * std::exp(offset_ + sum / static_cast<double>(networks_.size()));
  if (!std::isfinite(peak)) {
    return Error{"the job is too different from the training data of the model '" + card_.name + "'",
                 "Use `dryfit run` instead."};
  }
  return peak;
}

std::vector<Result<double>> MemoryPredictor::peaks_mib(std::span<const Job> jobs, std::size_t threads) const {
  constexpr std::size_t kPortion = 256;
  std::vector<Result<double>> peaks(jobs.size(), Result<double>(0.0));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto begin = next.fetch_add(kPortion); begin < jobs.size(); begin = next.fetch_add(kPortion)) {
      const auto end = std::min(begin + kPortion, jobs.size());
      for (auto i = begin; i < end; ++i) peaks[i] = peak_mib(jobs[i]);
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  return peaks;
}

}  // namespace dryfit::predictor
