// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/boosting.h"
#include "predictor/compute_example.h"
#include "predictor/compute_model.h"
#include "predictor/out_of_fold.h"

namespace dryfit::predictor {

/// How a variant is trained: with boosted trees as elsewhere, but fewer, as the tables are small.
struct ComputePlan {
  BoostingRecipe boosting{.trees = 400};
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4};  ///< a set of trees each
};

using ComputeExamples = std::span<const ComputeExample>;

/// Fits the roofline's weights, the trees and the reach to the examples that are described. Doesn't calibrate. An Error
/// if there is nothing to learn from. The same arguments give the same variant, to the bit.
Result<ComputeVariant> train_compute_variant(ComputeExamples examples, ComputeKnowledge knowledge,
                                             const ComputePlan& plan);

/// The predictions for each example by a variant that had not seen its fold, in seconds.
struct StepsOutOfFold {
  ComputeKnowledge knowledge = ComputeKnowledge::layers;
  std::vector<double> base;                ///< the roofline alone
  std::vector<double> seconds;             ///< all seeds together
  std::vector<std::vector<double>> seeds;  ///< each alone
};

/// Seeds are those of out_of_fold.h's seed_of_fold.
Result<StepsOutOfFold> predict_steps_without_fold(ComputeExamples examples, ComputeKnowledge knowledge,
                                                  const ComputePlan& plan, const Report& report);

/// Sets `above` and `below` from the errors of the predictions.
void calibrate_variant(ComputeVariant& variant, ComputeExamples examples, const StepsOutOfFold& predictions);

/// The median error for a chip's steps when the chip is left out of training.
struct GpuShift {
  double compute_capability = 0;
  std::size_t steps = 0;
  double shift = 0;         ///< the median of log(measured / predicted)
  double median_error = 0;  ///< relative
};

/// Note [Unseen cards]: for each chip, over those of its examples that have a group measured on another chip too. Chips
/// without such examples are left out.
Result<std::vector<GpuShift>> shifts_of_unseen_gpus(ComputeExamples examples, ComputeKnowledge knowledge,
                                                    const ComputePlan& plan, const Report& report);

/// How good intervals are, each calibrated without the fold that it belongs to.
struct IntervalScores {
  double coverage = 0;    ///< the share of steps within theirs
  double worst_fold = 0;  ///< the same for the fold with the lowest share
  double factor = 0;      ///< the mean over the examples of sqrt(upper / lower)
};

/// An Error when the other folds are too small for the coverage.
Result<IntervalScores> score_intervals(ComputeExamples examples, const StepsOutOfFold& predictions, double coverage);

}  // namespace dryfit::predictor
