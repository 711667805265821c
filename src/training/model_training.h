// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "predictor/features.h"
#include "predictor/memory_model.h"
#include "predictor/network_shape.h"
#include "training/learner.h"
#include "training/recipe.h"

namespace dryfit::training {

/// The number of bins for each feature of a network over features (predictor/piecewise.h).
inline constexpr std::size_t kBins = 16;

/// How to train one of our models.
struct ModelPlan {
  predictor::Core core = predictor::Core::bigru_transformer;
  bool reads_blocks = true;  ///< otherwise its tokens are the features
  predictor::FeatureSet features = predictor::FeatureSet::layers;
  Recipe recipe;
};

/// Fits base, offset, encoding and one network per seed to the jobs. The same arguments give the same model, to the
/// byte of its file (see fit_network).
Result<predictor::MemoryModel> train_model(const Jobs& jobs, const ModelPlan& plan,
                                           std::span<const std::uint64_t> seeds, const predictor::ModelCard& card,
                                           const Report& report);

}  // namespace dryfit::training
