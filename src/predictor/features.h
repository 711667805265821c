// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "predictor/job.h"

namespace dryfit::predictor {

/// What a model reads about a job besides its blocks.
enum class FeatureSet {
  plain,   ///< 8 numbers of the job itself
  layers,  ///< the same, and 31 aggregates of its blocks
};

inline constexpr std::size_t kPlainFeatures = 8;
inline constexpr std::size_t kBlockFeatures = 31;
inline constexpr std::size_t kLayerFeatures = kPlainFeatures + kBlockFeatures;

constexpr std::size_t feature_count(FeatureSet set) {
  return set == FeatureSet::plain ? kPlainFeatures : kLayerFeatures;
}

/// The job as numbers, not yet scaled; the job must have passed check(). The plain ones are logarithms of batch, image,
/// params_m, gmacs, macts_m, batch * macts_m, batch * gmacs, estimate_mib. The others are log(1 + x) of sums, counts
/// and maxima over the blocks, and of five of them times the batch; of a job without blocks they are all zero.
std::vector<double> features_of(const Job& job, FeatureSet set);

/// The arguments of these logarithms, feature_count(set) numbers: x of log(x) for the first kPlainFeatures, of
/// log(1 + x) for the others.
void amounts_of(const Job& job, FeatureSet set, std::span<double> amounts);

/// The names of the features, in order: "log batch", "log1p saved_bytes".
std::vector<std::string> feature_names(FeatureSet set);

/// A model's blocks and the batch that goes through them; a view.
struct BatchedBlocks {
  std::span<const Block> blocks;
  double batch = 0;
};

/// The features that are made from the blocks, and their names.
std::vector<double> block_features_of(const BatchedBlocks& of);
std::vector<std::string> block_feature_names();

/// The blocks as rows of kBlockFields numbers, not yet scaled: log(1 + x), where what grows with the batch is first
/// multiplied by it.
std::vector<double> block_tokens_of(const BatchedBlocks& of);

/// The x of these, into as many numbers.
void block_amounts_of(const BatchedBlocks& of, std::span<double> amounts);

}  // namespace dryfit::predictor
