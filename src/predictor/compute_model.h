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

/// What is learned for steps with this knowledge, as plain data. A step takes
///   base * e^answer
/// where the answer is the mean of the trees' answers, limited to the range in the training data: [min_correction,
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

/// At most one variant for each ComputeKnowledge.
struct ComputeModel {
  ModelCard card;
  std::vector<std::string> settings;  ///< setting_of() all measured steps
  double gpu_shift = 0;               ///< Note [Unseen cards]
  std::vector<ComputeVariant> variants;
};

/// Note [Unseen cards]
/// What a roofline doesn't capture about a card makes all steps on it slower or faster by about the same factor. We
/// measured how large that factor is: for each card with jobs that were also run on others, the median of
/// log(measured / predicted) when the card is left out of training. The largest absolute value of these is the shift;
/// it is added to both margins of a step in a setting that was not measured.

/// The setting in which a step was measured: "a100-40gb, bf16-amp, linear layers". The kind is that of most layers of
/// the model; "a100-40gb, bf16-amp, " if its blocks are unknown.
std::string setting_of(const std::string& gpu, const JobDescription& job);

/// Whether steps in that setting were measured; without a kind in it, steps of any kind.
bool was_measured(const ComputeModel& model, const std::string& setting);

/// What physics alone, and physics with trees, predict for a step, in seconds. The job has passed check(), and has at
/// least the knowledge of the variant.
struct StepEstimate {
  double base_seconds = 0;
  double seconds = 0;
  double distance = 0;  ///< without that of the card
};
StepEstimate estimate_step(const ComputeVariant& variant, const Step& step);

/// An Error unless the parts belong together and no number is out of its range.
Status check(const ComputeVariant& variant);
Status check(const ComputeModel& model);

}  // namespace dryfit::predictor
