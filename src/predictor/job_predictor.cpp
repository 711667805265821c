// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_predictor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "predictor/job_estimator.h"
#include "predictor/job_model_file.h"

namespace dryfit::predictor {
namespace {

/// A variant with its bounds.
struct Bounded {
  JobEstimator estimator;
  Margins margins;
};

Result<Prediction> predict_by(const Bounded& variant, const JobDescription& job, double coverage) {
  const auto margin = variant.margins.at(coverage);
  if (!margin) return margin.error();
  const auto estimate = variant.estimator.estimate(job);
  if (!estimate) return estimate.error();
  const double raised = *margin + widening(estimate->distance, *margin) + scaling_widening(job.scaled_by, *margin);
  return Prediction{.median_bytes = estimate->mib * kMib,
                    .upper_bytes = estimate->mib * kMib * std::exp(raised),
                    .coverage = coverage,
                    .distance = estimate->distance,
                    .familiar = estimate->distance <= 1,
                    .knowledge = variant.estimator.variant().knowledge};
}

}  // namespace

struct JobPredictor::Parts {
  ModelCard card;
  std::vector<Bounded> variants;

  /// Null if it was not learned. A model without a variant for probes uses the layers.
  const Bounded* variant_for(Knowledge knowledge) const {
    const auto found = std::ranges::find(variants, knowledge,
                                         [](const Bounded& variant) { return variant.estimator.variant().knowledge; });
    if (found != variants.end()) return &*found;
    return knowledge == Knowledge::probes ? variant_for(Knowledge::layers) : nullptr;
  }
};

Result<JobPredictor> JobPredictor::of(const JobModel& model) {
  if (auto status = check(model); !status) return status.error();
  auto parts = std::make_shared<Parts>();
  parts->card = model.card;
  for (const auto& variant : model.variants) {
    auto estimator = JobEstimator::of(variant);
    if (!estimator) {
      return Error{"the model '" + model.card.name + "': " + estimator.error().what, estimator.error().hint};
    }
    parts->variants.push_back({std::move(*estimator), Margins(variant.calibration)});
  }
  return JobPredictor(std::move(parts));
}

Result<JobPredictor> JobPredictor::read(const std::filesystem::path& file) {
  const auto model = read_job_model(file);
  if (!model) return model.error();
  auto predictor = of(*model);
  if (!predictor) return Error{file.string() + ": " + predictor.error().what, predictor.error().hint};
  return predictor;
}

Result<Prediction> JobPredictor::predict(const JobDescription& job, double coverage) const {
  if (auto status = check(job); !status) return status.error();
  const auto knowledge = knowledge_of(job);
  if (!knowledge) return knowledge.error();
  if (const auto* variant = parts_->variant_for(*knowledge)) return predict_by(*variant, job, coverage);
  return Error{"the model '" + parts_->card.name + "' was not trained on jobs described only by '" +
                   std::string(to_text(*knowledge)) + "'",
               "Use another model, or describe the job with a small dry run (--python)."};
}

const ModelCard& JobPredictor::card() const { return parts_->card; }

}  // namespace dryfit::predictor
