// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_predictor.h"

#include <algorithm>
#include <cmath>

#include "card/peak_rates.h"
#include "predictor/compute_model.h"
#include "predictor/compute_model_file.h"
#include "predictor/reach.h"

namespace dryfit::predictor {
namespace {

/// The variant for the job's knowledge.
Result<const ComputeVariant*> variant_for(const ComputeModel& model, const JobDescription& job) {
  const auto knowledge = compute_knowledge_of(job);
  if (!knowledge) return knowledge.error();
  const auto variant = std::ranges::find(model.variants, *knowledge, &ComputeVariant::knowledge);
  if (variant != model.variants.end()) return &*variant;
  return Error{"the model '" + model.card.name + "' was not trained on jobs described by '" +
                   std::string(to_text(*knowledge)) + "'",
               "Use another model."};
}

bool is_sensible(const ComputePrediction& prediction) {
  return std::isfinite(prediction.upper_seconds) && prediction.lower_seconds > 0 &&
         std::isfinite(prediction.achieved_flops) && prediction.achieved_flops > 0 &&
         std::isfinite(prediction.distance);
}

}  // namespace

Result<ComputePredictor> ComputePredictor::of(ComputeModel model) {
  if (auto status = check(model); !status) return status.error();
  return ComputePredictor(std::make_shared<const ComputeModel>(std::move(model)));
}

Result<ComputePredictor> ComputePredictor::read(const std::filesystem::path& file) {
  auto model = read_compute_model(file);
  if (!model) return model.error();
  auto predictor = of(std::move(*model));
  if (!predictor) return Error{file.string() + ": " + predictor.error().what, predictor.error().hint};
  return predictor;
}

Result<ComputePrediction> ComputePredictor::predict(const JobDescription& job, const Card& card,
                                                    double coverage) const {
  if (auto status = check(job); !status) return status.error();
  const auto variant = variant_for(*model_, job);
  if (!variant) return variant.error();
  const auto rates = peak_rates_of(card);
  if (!rates) return rates.error();
  const auto above = (*variant)->above.margin((1 + coverage) / 2);
  if (!above) return above.error();
  const auto below = (*variant)->below.margin((1 + coverage) / 2);
  if (!below) return below.error();
  const auto [base, median, distance] = estimate_step(**variant, {.job = job, .rates = *rates});
  const bool measured = was_measured(*model_, setting_of(card.id, job));
  const double shift = measured ? 0 : model_->gpu_shift;
  const auto margin = [&](double usual) {
    return std::max(usual, 0.0) * (1 + std::clamp(distance - 1, 0.0, Reach::kMostWidths)) + shift;
  };
  const double flops = needed_flops(job.model) * job.batch / median;
  const ComputePrediction prediction{.median_seconds = median,
                                     .lower_seconds = median * std::exp(-margin(*below)),
                                     .upper_seconds = median * std::exp(margin(*above)),
                                     .coverage = coverage,
                                     .achieved_flops = flops,
                                     .utilisation = flops / peak_flops(*rates, job.precision),
                                     .distance = measured ? distance : std::max(distance, Reach::kUnknownFlag),
                                     .familiar = measured && distance <= 1,
                                     .measured = measured};
  if (is_sensible(prediction)) return prediction;
  return Error{"the learned model gives no usable step time for this job",
               "The job is too different from the training data."};
}

const ModelCard& ComputePredictor::card() const { return model_->card; }

}  // namespace dryfit::predictor
