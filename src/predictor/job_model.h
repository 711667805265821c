// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/result.h"
#include "predictor/boosted_trees.h"
#include "predictor/calibration.h"
#include "predictor/job_features.h"
#include "predictor/job_physics.h"
#include "predictor/memory_model.h"
#include "predictor/reach.h"

namespace dryfit::predictor {

/// What is learned for jobs with this knowledge, as plain data. The peak is
///   base * e^(offset + answer)
/// where the answer is the mean of the networks' answers, of the trees', or of those two means, limited to the range in
/// the training data: [min_correction, max_correction].
struct JobVariant {
  Knowledge knowledge = Knowledge::layers;
  JobPhysics base;
  double offset = 0;
  double min_correction = 0;
  double max_correction = 0;
  Scaler features;  ///< of job_features_of()
  Scaler blocks;    ///< of block_tokens_of(); empty if blocks are unknown
  NetworkShape shape;
  std::vector<std::vector<float>> members;  ///< the weights of each network
  std::vector<BoostedTrees> trees;          ///< over the scaled features
  Calibration calibration;
  Reach reach;
};

/// At most one variant for each Knowledge.
struct JobModel {
  ModelCard card;
  std::vector<JobVariant> variants;
};

/// A job as a variant reads it.
struct JobInput {
  double base_mib = 0;
  std::vector<double> features;  ///< not scaled
  NetworkInput scaled;
};

/// The job has passed check() and has at least the knowledge of the variant.
JobInput encode(const JobVariant& variant, const JobDescription& job);

/// An Error unless the parts belong together and no number is out of its range.
Status check(const JobVariant& variant);
Status check(const JobModel& model);

}  // namespace dryfit::predictor
