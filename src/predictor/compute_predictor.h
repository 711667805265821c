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

/// How fast a job that nobody ran computes.
struct ComputePrediction {
  double median_seconds = 0;  ///< of a step
  double lower_seconds = 0;   ///< `coverage` of jobs like those learned from lie between these two
  double upper_seconds = 0;
  double coverage = 0;
  double achieved_flops = 0;  ///< a second, at the median
  double utilisation = 0;     ///< of the card's peak in the job's precision
  double distance = 0;        ///< from what was learned: 1 is as far as the farthest of the jobs learned from
  bool familiar = true;       ///< false: farther than that; the interval has been widened
  bool measured = true;       ///< false: no such job was learned from on this card (setting_of())
};

/// A model file that answers for any job description. Immutable, so it may be used by many threads at once.
class ComputePredictor {
 public:
  /// An Error that says so when the file is no such model, of a newer version, cut off or damaged.
  static Result<ComputePredictor> read(const std::filesystem::path& file);

  /// The same of a model that is no file. An Error when its parts do not belong together.
  static Result<ComputePredictor> of(ComputeModel model);

  /// Note [Intervals]
  /// The interval is the median times e^-a and e^b. For a job like those learned from a and b are
  /// Calibration::margin((1 + coverage) / 2), one below and one above. Beyond a distance of 1 they grow by as much
  /// again for each half width of what was learned, four times at most; in a setting that was not measured the shift of
  /// Note [Unseen cards] is added, and the distance is at least Reach::kUnknownFlag.
  ///
  /// An Error when the job fails check(), too little is known of its model or its card, or the coverage is none or more
  /// than the calibration can tell.
  Result<ComputePrediction> predict(const JobDescription& job, const Card& card, double coverage) const;

  const ModelCard& card() const;

 private:
  explicit ComputePredictor(std::shared_ptr<const ComputeModel> model) : model_(std::move(model)) {}

  std::shared_ptr<const ComputeModel> model_;
};

}  // namespace dryfit::predictor
