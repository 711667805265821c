// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "predictor/description.h"
#include "predictor/job_physics.h"
#include "predictor/memory_model.h"

namespace dryfit::predictor {

struct JobModel;

/// The predicted memory of a job. Bytes include PyTorch's reserved memory, libraries and code at the peak: everything
/// that a process holds on a card besides its context.
struct Prediction {
  double median_bytes = 0;
  double upper_bytes = 0;  ///< not exceeded by a share `coverage` of jobs like the training data
  double coverage = 0;
  double distance = 0;                       ///< from the training data; 1 is the distance of the farthest training job
  bool familiar = true;                      ///< false: farther than that; upper_bytes has been widened
  Knowledge knowledge = Knowledge::outline;  ///< what the prediction is based on
};

/// A loaded model file that predicts any job description. Immutable, and so thread-safe.
class JobPredictor {
 public:
  /// An Error if the file is not such a model, of a newer version, cut off or damaged.
  static Result<JobPredictor> read(const std::filesystem::path& file);

  /// The same for a model in memory. An Error if its parts do not belong together.
  static Result<JobPredictor> of(const JobModel& model);

  /// `coverage` is above 0 and below 1; Note [Upper bounds] says how close to 1 it may be. An Error if the job fails
  /// check() or too little is known about its model.
  Result<Prediction> predict(const JobDescription& job, double coverage) const;

  const ModelCard& card() const;

 private:
  struct Parts;
  explicit JobPredictor(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

}  // namespace dryfit::predictor
