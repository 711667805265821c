// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "base/check.h"

namespace dryfit::predictor {
namespace {

using enum BlockField;

constexpr std::array<std::string_view, kStepTerms> kTermNames{"matrices",  "attention", "activations", "grouped",
                                                              "depthwise", "layers",    "parameters"};
constexpr std::array kKinds{n_conv, n_pointwise, n_groupconv, n_depthwise, n_linear, n_pool};

/// A step of a model with known blocks.
struct SteppedBlocks {
  std::span<const Block> blocks;
  double seconds = 0;  ///< all terms
  double layers = 0;
  double multiply_adds = 0;

  double sum(BlockField field) const {
    return std::transform_reduce(blocks.begin(), blocks.end(), 0.0, std::plus<>(),
                                 [&](const Block& block) { return block[field]; });
  }

  template <class Of>
  double most(Of of) const {
    double most = 0;
    for (const auto& block : blocks) most = std::max(most, of(block));
    return most;
  }

  /// Every multiply-add counts alike.
  template <class Of>
  double mean(Of of) const {
    double mean = 0;
    for (const auto& block : blocks) mean += block[macs] / multiply_adds * of(block);
    return mean;
  }
};

struct LayerFeature {
  std::string_view name;
  double (*of)(const SteppedBlocks&);
};

template <BlockField field>
double largest(const SteppedBlocks& step) {
  return step.most([](const Block& block) { return block[field]; });
}

double layers_of(const Block& block) { return std::max(1.0, weighty_layers(std::span(&block, 1))); }

constexpr std::array<LayerFeature, 11> kStepLayerFeatures{{
    {"log seconds of a layer", [](const SteppedBlocks& s) { return std::log(s.seconds / s.layers); }},
    {"log layers", [](const SteppedBlocks& s) { return std::log(s.layers); }},
    {"log bytes of a layer", [](const SteppedBlocks& s) { return std::log1p(s.sum(saved_bytes) / s.layers); }},
    {"largest grouped kernel", largest<k_group_dw>},
    {"largest kernel", largest<k_conv>},
    {"log most groups", [](const SteppedBlocks& s) { return std::log1p(largest<max_groups>(s)); }},
    {"log most channels", [](const SteppedBlocks& s) { return std::log1p(largest<max_channels>(s)); }},
    {"log widest group", [](const SteppedBlocks& s) { return std::log1p(s.most(group_width)); }},
    {"mean log channels",
     [](const SteppedBlocks& s) { return s.mean([](const Block& b) { return std::log1p(b[max_channels]); }); }},
    {"mean log multiply-adds per byte",
     [](const SteppedBlocks& s) {
       return s.mean([](const Block& b) { return std::log((b[macs] + 1) / (b[saved_bytes] + 1)); });
     }},
    {"mean log parameters of a layer",
     [](const SteppedBlocks& s) {
       return s.mean([](const Block& b) { return std::log1p(b[param_bytes] / 4 / layers_of(b)); });
     }},
}};

constexpr std::array kTotals{"log arithmetic over activations", "log parameters over activations"};

constexpr std::size_t kTotalFeatures = kStepTerms + kTotals.size();
constexpr std::size_t kOutputFeature = 1;

/// Always finite: a job without activations or without arithmetic is far away, but still has a place.
double log_ratio(double a, double b) {
  constexpr double kLeast = 1e-12;
  return std::log(std::max(a, kLeast) / std::max(b, kLeast));
}

}  // namespace

std::vector<float> step_features(const Step& step, ComputeKnowledge knowledge, const StepTerms& terms) {
  const auto& model = step.job.model;
  const double all = std::accumulate(terms.seconds.begin(), terms.seconds.end(), 0.0);
  std::vector<float> features;
  features.reserve(step_feature_count(knowledge));
  const auto add = [&](double value) { features.push_back(static_cast<float>(value)); };
  for (const double seconds : terms.seconds) add(seconds / all);
  add(log_ratio(terms[StepTerm::matrices], terms[StepTerm::activations]));
  add(log_ratio(model.parameter_bytes / step.rates.bytes, terms[StepTerm::activations] / step.job.batch));
  if (knowledge == ComputeKnowledge::layers) {
    SteppedBlocks stepped{model.blocks, all, std::max(1.0, weighty_layers(model.blocks))};
    stepped.multiply_adds = stepped.sum(macs);
    for (const auto& feature : kStepLayerFeatures) add(feature.of(stepped));
    for (const auto kind : kKinds) add(stepped.sum(kind) / stepped.layers);
    add(stepped.mean([](const Block& block) { return std::log1p(block[max_out_bytes]); }));
  }
  DRYFIT_CHECK(features.size() == step_feature_count(knowledge));
  return features;
}

std::vector<std::string> step_feature_names(ComputeKnowledge knowledge) {
  std::vector<std::string> names;
  for (const auto name : kTermNames) names.push_back("share of " + std::string(name));
  for (const auto* name : kTotals) names.emplace_back(name);
  if (knowledge == ComputeKnowledge::layers) {
    for (const auto& feature : kStepLayerFeatures) names.emplace_back(feature.name);
    for (const auto kind : kKinds) names.push_back("share of " + std::string(to_text(kind)));
    names.emplace_back("mean log largest output");
  }
  return names;
}

std::size_t step_feature_count(ComputeKnowledge knowledge) {
  const bool layers = knowledge == ComputeKnowledge::layers;
  return kTotalFeatures + (layers ? kStepLayerFeatures.size() + kKinds.size() + kOutputFeature : 0);
}

}  // namespace dryfit::predictor
