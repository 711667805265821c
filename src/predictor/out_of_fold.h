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

/// Learns from the examples that a fold is trained on and tells of those tested in it, in their order: amounts in the
/// unit of the data set, all above zero. The truth of what it is asked is there, and is not looked at.
using Learner = std::function<Result<std::vector<double>>(const DataSet& data, std::size_t fold, std::uint64_t seed)>;

/// Is told a line of what was done, for whoever waits.
using Report = std::function<void(const std::string& line)>;

/// What a learner says of every example, having learned from all folds but the example's own: "name seed 3".
Result<Contender> predict_out_of_fold(const DataSet& data, const Learner& learner, const std::string& name,
                                      std::uint64_t seed, const Report& report);

/// The seed that a fold is learned with: 1000 * seed + fold.
std::uint64_t seed_of_fold(std::uint64_t seed, std::size_t fold);

/// The geometric mean of contenders, of which there is at least one.
Contender blend_of(const std::string& name, std::span<const Contender> contenders);

/// A table that contenders_in reads: `row`, and a column of amounts per contender.
std::string predictions_table(std::span<const std::size_t> rows, std::span<const Contender> contenders);

}  // namespace dryfit::predictor
