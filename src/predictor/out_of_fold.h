// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/evaluation.h"
#include "predictor/timm_memory.h"
#include "training/learner.h"

namespace dryfit::training {

/// What a learner says of every job, having learned from all folds but the job's own: the contender "name seed 3".
Result<predictor::Contender> predict_out_of_fold(const predictor::TimmMemory& data, const Learner& learner,
                                                 const std::string& name, std::uint64_t seed, const Report& report);

/// The geometric mean of contenders, of which there is at least one: "name x3".
predictor::Contender ensemble_of(const std::string& name, std::span<const predictor::Contender> contenders);

/// The seed that a fold is learned with: 1000 * seed + fold.
std::uint64_t seed_of_fold(std::uint64_t seed, std::size_t fold);

/// A table that predictor::contenders_in reads: `row`, and a column of MiB per contender.
std::string predictions_table(std::span<const std::size_t> rows, std::span<const predictor::Contender> contenders);

}  // namespace dryfit::training
