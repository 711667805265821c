// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace dryfit::predictor {
namespace {

using enum BlockField;

template <class Of>
struct Feature {
  std::string_view name;
  double (*value)(const Of&);
};

template <BlockField field>
double sum(const BatchedBlocks& of) {
  double sum = 0;
  for (const auto& block : of.blocks) sum += block[field];
  return sum;
}

template <BlockField field>
double most(const BatchedBlocks& of) {
  double most = 0;
  for (const auto& block : of.blocks) most = std::max(most, block[field]);
  return most;
}

template <double (*value)(const BatchedBlocks&)>
double batched(const BatchedBlocks& of) {
  return of.batch * value(of);
}

/// The two blocks with the largest convolution outputs: both are alive when workspaces are asked for.
double two_largest_convolutions(const BatchedBlocks& of) {
  double first = 0;
  double second = 0;
  for (const auto& block : of.blocks) {
    const double bytes = block[max_conv_bytes];
    second = std::max(second, std::min(first, bytes));
    first = std::max(first, bytes);
  }
  return first + second;
}

constexpr std::array<Feature<Job>, kPlainFeatures> kPlain{{
    {"batch", [](const Job& job) { return job.batch; }},
    {"image", [](const Job& job) { return job.image; }},
    {"params_m", [](const Job& job) { return job.params_m; }},
    {"gmacs", [](const Job& job) { return job.gmacs; }},
    {"macts_m", [](const Job& job) { return job.macts_m; }},
    {"batch * macts_m", [](const Job& job) { return job.batch * job.macts_m; }},
    {"batch * gmacs", [](const Job& job) { return job.batch * job.gmacs; }},
    {"estimate_mib", [](const Job& job) { return job.estimate_mib; }},
}};

constexpr std::array<Feature<BatchedBlocks>, kBlockFeatures> kOfBlocks{{
    {"tokens", [](const BatchedBlocks& of) { return static_cast<double>(of.blocks.size()); }},
    {"blocks", sum<run>},
    {"saved_bytes", sum<saved_bytes>},
    {"max_out_bytes", most<max_out_bytes>},
    {"macs", sum<macs>},
    {"n_conv", sum<n_conv>},
    {"n_pointwise", sum<n_pointwise>},
    {"n_groupconv", sum<n_groupconv>},
    {"n_depthwise", sum<n_depthwise>},
    {"n_linear", sum<n_linear>},
    {"n_norm", sum<n_norm>},
    {"n_func", sum<n_func>},
    {"n_act", sum<n_act>},
    {"max_conv_bytes", most<max_conv_bytes>},
    {"max_groupconv_bytes", most<max_groupconv_bytes>},
    {"max_depthwise_bytes", most<max_depthwise_bytes>},
    {"k_group_dw", most<k_group_dw>},
    {"k_conv", most<k_conv>},
    {"saved_func", sum<saved_func>},
    {"saved_norm", sum<saved_norm>},
    {"saved_act", sum<saved_act>},
    {"hw_group_dw", most<hw_group_dw>},
    {"max_groups", most<max_groups>},
    {"max_channels", most<max_channels>},
    {"largest block's saved_bytes", most<saved_bytes>},
    {"two largest max_conv_bytes", two_largest_convolutions},
    {"batch * saved_bytes", batched<sum<saved_bytes>>},
    {"batch * max_out_bytes", batched<most<max_out_bytes>>},
    {"batch * max_conv_bytes", batched<most<max_conv_bytes>>},
    {"batch * max_groupconv_bytes", batched<most<max_groupconv_bytes>>},
    {"batch * max_depthwise_bytes", batched<most<max_depthwise_bytes>>},
}};

constexpr bool grows_with_batch(BlockField field) {
  switch (field) {
    case saved_bytes:
    case max_out_bytes:
    case macs:
    case max_conv_bytes:
    case max_groupconv_bytes:
    case max_depthwise_bytes:
    case saved_func:
    case saved_norm:
    case saved_act:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<double> features_of(const Job& job, FeatureSet set) {
  std::vector<double> features;
  features.reserve(feature_count(set));
  for (const auto& feature : kPlain) features.push_back(std::log(feature.value(job)));
  if (set == FeatureSet::plain) return features;
  std::ranges::copy(block_features_of({job.blocks, job.batch}), std::back_inserter(features));
  return features;
}

std::vector<double> block_features_of(const BatchedBlocks& of) {
  std::vector<double> features;
  features.reserve(kBlockFeatures);
  for (const auto& feature : kOfBlocks) features.push_back(of.blocks.empty() ? 0 : std::log1p(feature.value(of)));
  return features;
}

std::vector<std::string> feature_names(FeatureSet set) {
  std::vector<std::string> names;
  for (const auto& feature : kPlain) names.push_back("log " + std::string(feature.name));
  if (set == FeatureSet::plain) return names;
  std::ranges::copy(block_feature_names(), std::back_inserter(names));
  return names;
}

std::vector<std::string> block_feature_names() {
  std::vector<std::string> names;
  for (const auto& feature : kOfBlocks) names.push_back("log1p " + std::string(feature.name));
  return names;
}

std::vector<double> block_tokens_of(const BatchedBlocks& of) {
  std::vector<double> tokens;
  tokens.reserve(of.blocks.size() * kBlockFields);
  for (const auto& block : of.blocks) {
    for (std::size_t i = 0; i < kBlockFields; ++i) {
      const double factor = grows_with_batch(static_cast<BlockField>(i)) ? of.batch : 1;
      tokens.push_back(std::log1p(factor * block.values[i]));
    }
  }
  return tokens;
}

}  // namespace dryfit::predictor
