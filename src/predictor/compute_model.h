// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predictor/boosted_trees.h"
#include "predictor/calibration.h"
#include "predictor/compute_physics.h"
#include "predictor/compute_reach.h"
#include "predictor/memory_model.h"

namespace dryfit::predictor {

/// What is learned of steps of which so much is known, as plain data. A step takes
///   base * e^answer
/// where the answer is the mean of the trees' answers, and stays within what was there to be learned: [min_correction,
/// max_correction].
struct ComputeVariant {
  ComputeKnowledge knowledge = ComputeKnowledge::layers;
  StepPhysics base;
  double min_correction = 0;
  double max_correction = 0;
  std::vector<BoostedTrees> trees;  ///< over step_features()
  Calibration above;                ///< of log(measured / predicted)
  Calibration below;                ///< of log(predicted / measured)
  StepReach reach;
};

/// A variant for each ComputeKnowledge that was learned, at most one.
struct ComputeModel {
  ModelCard card;
  std::vector<std::string> settings;  ///< setting_of() all steps that were measured
  double gpu_shift = 0;               ///< Note [Unseen cards]
  std::vector<ComputeVariant> variants;
};

/// Note [Unseen cards]
/// What a roofline does not know of a card makes all of its steps slower or faster by about the same factor. How large
/// that is was measured: of each card whose jobs were also run on others, the median of log(measured / predicted) when
/// nothing of the card was learned from. The largest of these, whatever its sign, is the shift; it is added to both
/// margins of a step in a setting that was not measured.

/// On what a step was measured: "a100-40gb, bf16-amp, linear layers". The kind is that of which a model has more
/// layers; "a100-40gb, bf16-amp, " when its blocks are not known.
std::string setting_of(const std::string& gpu, const JobDescription& job);

/// Whether steps of that setting, of whatever kind where none is named, were measured.
bool was_measured(const ComputeModel& model, const std::string& setting);

/// What physics alone, and what physics and trees say of a step, in seconds. The job has passed check() and is known
/// at least so well.
struct StepEstimate {
  double base_seconds = 0;
  double seconds = 0;
  double distance = 0;  ///< without the card's
};
StepEstimate estimate_step(const ComputeVariant& variant, const Step& step);

/// An Error unless the parts belong together and no number is out of its range.
Status check(const ComputeVariant& variant);
Status check(const ComputeModel& model);

}  // namespace dryfit::predictor
