// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/boosting.h"
#include "predictor/harvest_rows.h"
#include "predictor/job_model.h"
#include "predictor/network_shape.h"
#include "predictor/out_of_fold.h"
#include "training/job_folds.h"
#include "training/recipe.h"

namespace dryfit::training {

/// The members of the ensemble.
enum class Members { networks, trees, both };

/// How to train a model of job descriptions.
struct JobPlan {
  Members members = Members::both;
  predictor::Core core = predictor::Core::bigru_transformer;
  Recipe recipe;
  predictor::BoostingRecipe boosting;
};

/// Fits base, offset, scales and reach, and for each seed a network and a set of trees, to the examples that fit their
/// card (Ending::fits). Doesn't calibrate. The same arguments give the same variant, to the bit (see fit_network).
Result<predictor::JobVariant> train_variant(std::span<const predictor::HarvestExample> examples,
                                            predictor::Knowledge knowledge, const JobPlan& plan,
                                            std::span<const std::uint64_t> seeds, const predictor::Report& report);

/// The predictions for all examples, in order, by variants that have not seen the example's fold, in MiB.
struct OutOfFold {
  predictor::Knowledge knowledge = predictor::Knowledge::layers;
  std::vector<double> physics;
  std::vector<double> networks;  ///< empty if there are none
  std::vector<double> trees;     ///< empty if there are none
  std::vector<double> answer;    ///< of all members in the plan
  std::vector<double> distance;  ///< Note [Distance]
};

/// Training for fold k uses predictor::seed_of_fold(seed, k).
Result<OutOfFold> predict_without_fold(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                                       predictor::Knowledge knowledge, const JobPlan& plan,
                                       std::span<const std::uint64_t> seeds, const predictor::Report& report);

/// From the errors on the examples that fit: Note [Upper bounds].
predictor::Calibration calibrate_variant(std::span<const predictor::HarvestExample> examples, const JobFolds& folds,
                                         const OutOfFold& predictions);

/// "networks", "trees", "both".
std::string_view to_text(Members members);

}  // namespace dryfit::training
