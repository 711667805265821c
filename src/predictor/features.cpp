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

/// Blocks taken together, field by field.
struct Totals {
  Block sum;
  Block most;
};

Totals totals_of(std::span<const Block> blocks) {
  Totals totals;
  for (const auto& block : blocks) {
    for (std::size_t i = 0; i < kBlockFields; ++i) {
      totals.sum.values[i] += block.values[i];
      totals.most.values[i] = std::max(totals.most.values[i], block.values[i]);
    }
  }
  return totals;
}

struct PlainFeature {
  std::string_view name;
  double (*amount)(const Job&);
};

struct BlockFeature {
  std::string_view name;
  double (*amount)(const BatchedBlocks&, const Totals&);
};

template <BlockField field>
double sum(const BatchedBlocks&, const Totals& totals) {
  return totals.sum[field];
}

template <BlockField field>
double most(const BatchedBlocks&, const Totals& totals) {
  return totals.most[field];
}

template <double (*amount)(const BatchedBlocks&, const Totals&)>
double batched(const BatchedBlocks& of, const Totals& totals) {
  return of.batch * amount(of, totals);
}

/// The two blocks with the largest convolution outputs: both are alive when workspaces are allocated.
double two_largest_convolutions(const BatchedBlocks& of, const Totals&) {
  double first = 0;
  double second = 0;
  for (const auto& block : of.blocks) {
    const double bytes = block[max_conv_bytes];
    second = std::max(second, std::min(first, bytes));
    first = std::max(first, bytes);
  }
  return first + second;
}

constexpr std::array<PlainFeature, kPlainFeatures> kPlain{{
    {"batch", [](const Job& job) { return job.batch; }},
    {"image", [](const Job& job) { return job.image; }},
    {"params_m", [](const Job& job) { return job.params_m; }},
    {"gmacs", [](const Job& job) { return job.gmacs; }},
    {"macts_m", [](const Job& job) { return job.macts_m; }},
    {"batch * macts_m", [](const Job& job) { return job.batch * job.macts_m; }},
    {"batch * gmacs", [](const Job& job) { return job.batch * job.gmacs; }},
    {"estimate_mib", [](const Job& job) { return job.estimate_mib; }},
}};

constexpr std::array<BlockFeature, kBlockFeatures> kOfBlocks{{
    {"tokens", [](const BatchedBlocks& of, const Totals&) { return static_cast<double>(of.blocks.size()); }},
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

void aggregates_of(const BatchedBlocks& of, std::span<double> amounts) {
  const auto totals = totals_of(of.blocks);
  auto next = amounts.begin();
  for (const auto& feature : kOfBlocks) *next++ = feature.amount(of, totals);
}

}  // namespace

void amounts_of(const Job& job, FeatureSet set, std::span<double> amounts) {
  auto next = amounts.begin();
  for (const auto& feature : kPlain) *next++ = feature.amount(job);
  if (set == FeatureSet::layers) aggregates_of({job.blocks, job.batch}, amounts.subspan(kPlainFeatures));
}

std::vector<double> features_of(const Job& job, FeatureSet set) {
  std::vector<double> features(feature_count(set));
  amounts_of(job, set, features);
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i] = i < kPlainFeatures ? std::log(features[i]) : std::log1p(features[i]);
  }
  return features;
}

std::vector<double> block_features_of(const BatchedBlocks& of) {
  std::vector<double> features(kBlockFeatures);
  aggregates_of(of, features);
  for (auto& feature : features) feature = std::log1p(feature);
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

void block_amounts_of(const BatchedBlocks& of, std::span<double> amounts) {
  auto next = amounts.begin();
  for (const auto& block : of.blocks) {
    for (std::size_t i = 0; i < kBlockFields; ++i) {
      const double factor = grows_with_batch(static_cast<BlockField>(i)) ? of.batch : 1;
      *next++ = factor * block.values[i];
    }
  }
}

std::vector<double> block_tokens_of(const BatchedBlocks& of) {
  std::vector<double> tokens(of.blocks.size() * kBlockFields);
  block_amounts_of(of, tokens);
  for (auto& token : tokens) token = std::log1p(token);
  return tokens;
}

}  // namespace dryfit::predictor
