// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "card/card.h"
#include "predictor/description.h"
#include "predictor/memory_model.h"

namespace dryfit::predictor {

struct ComputeModel;

/// The predicted speed of a job.
struct ComputePrediction {
  double median_seconds = 0;  ///< of a step
  double lower_seconds = 0;   ///< for a share `coverage` of jobs like the training data, the time is between these two
  double upper_seconds = 0;
  double coverage = 0;
  double achieved_flops = 0;  ///< per second, at the median
  double utilisation = 0;     ///< of the card's peak in the job's precision
  double distance = 0;        ///< from the training data; 1 is the distance of the farthest training job
  bool familiar = true;       ///< false: farther than that; the interval has been widened
  bool measured = true;       ///< false: no such job on this card is in the training data (setting_of())
};

/// A loaded model file that predicts any job description. Immutable, and so thread-safe.
class ComputePredictor {
 public:
  /// An Error if the file is not such a model, of a newer version, cut off or damaged.
  static Result<ComputePredictor> read(const std::filesystem::path& file);

  /// The same for a model in memory. An Error if its parts do not belong together.
  static Result<ComputePredictor> of(ComputeModel model);

  /// Note [Intervals]
  /// The interval is the median times e^-a and e^b. For a job like the training data, a and b are
  /// Calibration::margin((1 + coverage) / 2), one below and one above. Beyond a distance of 1 they grow by as much
  /// again for each half width of the training data's range, at most four times; in a setting that was not measured,
  /// the shift of Note [Unseen cards] is added and the distance is at least Reach::kUnknownFlag.
  ///
  /// An Error if the job fails check(), too little is known about its model or its card, or the coverage is invalid or
  /// more than the calibration supports.
  Result<ComputePrediction> predict(const JobDescription& job, const Card& card, double coverage) const;

  const ModelCard& card() const;

 private:
  explicit ComputePredictor(std::shared_ptr<const ComputeModel> model) : model_(std::move(model)) {}

  std::shared_ptr<const ComputeModel> model_;
};

}  // namespace dryfit::predictor
