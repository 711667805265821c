// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_predictor.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "predictor/job_estimator.h"
#include "predictor/job_model_file.h"

namespace dryfit::predictor {
namespace {

constexpr double kMib = 1024 * 1024;

}  // namespace

struct JobPredictor::Parts {
  ModelCard card;
  std::vector<JobEstimator> ways;
};

Result<JobPredictor> JobPredictor::of(const JobModel& model) {
  if (auto status = check(model); !status) return status.error();
  auto parts = std::make_shared<Parts>();
  parts->card = model.card;
  for (const auto& way : model.ways) {
    auto estimator = JobEstimator::of(way);
    if (!estimator) {
      return Error{"the model '" + model.card.name + "': " + estimator.error().what, estimator.error().hint};
    }
    parts->ways.push_back(std::move(*estimator));
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
  for (const auto& estimator : parts_->ways) {
    if (estimator.way().knowledge != *knowledge) continue;
    const auto margin = estimator.way().calibration.margin(coverage);
    if (!margin) return margin.error();
    const auto estimate = estimator.estimate(job);
    if (!estimate) return estimate.error();
    const double worst = estimator.way().calibration.worst();
    const double raised = *margin + widening(estimate->distance, worst) + scaling_widening(job.scaled_by, worst);
    return Prediction{.median_bytes = estimate->mib * kMib,
                      .upper_bytes = estimate->mib * kMib * std::exp(raised),
                      .coverage = coverage,
                      .distance = estimate->distance,
                      .familiar = estimate->distance <= 1};
  }
  return Error{"the model '" + parts_->card.name + "' has not learned from jobs of which only '" +
                   std::string(to_text(*knowledge)) + "' is known",
               "take another model, or describe the job by a small dry run"};
}

const ModelCard& JobPredictor::card() const { return parts_->card; }

}  // namespace dryfit::predictor
