// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/data_set.h"
#include "predictor/evaluation.h"

namespace dryfit::predictor {

/// Learns from a fold's training examples and predicts its test examples, in order: amounts in the unit of the data
/// set, all above zero. The truth of the test examples is in the data, but a learner doesn't read it.
using Learner = std::function<Result<std::vector<double>>(const DataSet& data, std::size_t fold, std::uint64_t seed)>;

/// Receives lines about progress.
using Report = std::function<void(const std::string& line)>;

/// The predictions of a learner for every example, each learned from all folds but the example's own. The contender is
/// named "name seed 3".
Result<Contender> predict_out_of_fold(const DataSet& data, const Learner& learner, const std::string& name,
                                      std::uint64_t seed, const Report& report);

/// The seed for training without a fold: 1000 * seed + fold.
std::uint64_t seed_of_fold(std::uint64_t seed, std::size_t fold);

/// The geometric mean of at least one contender.
Contender blend_of(const std::string& name, std::span<const Contender> contenders);

/// A table for contenders_in(): `row`, and a column of amounts per contender.
std::string predictions_table(std::span<const std::size_t> rows, std::span<const Contender> contenders);

}  // namespace dryfit::predictor
