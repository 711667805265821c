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

/// What is said of a job that nobody ran. Bytes are of PyTorch's reserved memory, of libraries and of code at the
/// peak: all that a process holds on a card beside its context.
struct Prediction {
  double median_bytes = 0;
  double upper_bytes = 0;  ///< not exceeded by `coverage` of jobs like those learned from
  double coverage = 0;
  double distance = 0;   ///< from what was learned: 1 is as far as the farthest of the jobs learned from
  bool familiar = true;  ///< false: farther than that; upper_bytes has been widened
  Knowledge knowledge = Knowledge::outline;  ///< of the job, that it was predicted by
};

/// A model file that answers for any job description. Immutable, so it may be used by many threads at once.
class JobPredictor {
 public:
  /// An Error that says so when the file is no such model, of a newer version, cut off or damaged.
  static Result<JobPredictor> read(const std::filesystem::path& file);

  /// The same of a model that is no file. An Error when its parts do not belong together.
  static Result<JobPredictor> of(const JobModel& model);

  /// `coverage` is above 0 and below 1; Note [Upper bounds] says how far below. An Error when the job fails check(), or
  /// too little is known of its model.
  Result<Prediction> predict(const JobDescription& job, double coverage) const;

  const ModelCard& card() const;

 private:
  struct Parts;
  explicit JobPredictor(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

}  // namespace dryfit::predictor
