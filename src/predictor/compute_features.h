// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "predictor/compute_physics.h"

namespace dryfit::predictor {

/// A step as trees read it. None of the numbers names a card or a batch: the same layers in the same balance are the
/// same step on any card. First come the share of each of step_terms() in their sum, and the logarithms of arithmetic
/// over activations and of the parameters' bytes over those of activations. Then, for layers: the logarithms of the
/// seconds per layer and of the number of layers; the shares of six kinds of layers; the largest kernels, groups,
/// channels and group width; and four means weighted by multiply-adds, of the logarithms of channels, of multiply-adds
/// per byte, of a layer's parameters and of a block's largest output.
std::vector<float> step_features(const Step& step, ComputeKnowledge knowledge, const StepTerms& terms);

/// The names of these features, in order: "share of matrices".
std::vector<std::string> step_feature_names(ComputeKnowledge knowledge);

/// How many there are.
std::size_t step_feature_count(ComputeKnowledge knowledge);

}  // namespace dryfit::predictor
