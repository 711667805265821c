// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "card/catalogue.h"
#include "predict_answer.h"
#include "predict_question.h"
#include "predictor/known_models.h"
#include "site_bounds.h"

namespace dryfit::cli::testing {

/// torchvision/resnet50 at 224 and transformers/bert-base at 512, each with a block.
inline predictor::KnownModels known_models() {
  const auto model = [](std::string source, std::string name, double size, bool image) {
    return predictor::KnownModel{{.source = std::move(source),
                                  .name = std::move(name),
                                  .size = size,
                                  .parameters = 25e6,
                                  .parameter_bytes = 100e6,
                                  .flops = 24e9,
                                  .blocks = {predictor::Block{}}},
                                 image,
                                 true};
  };
  const auto text = predictor::to_json_lines(
      {model("torchvision", "resnet50", 224, true), model("transformers", "bert-base", 512, false)});
  return std::move(predictor::KnownModels::parse(text, "models.jsonl")).value();
}

/// All cards that come with Dryfit.
inline Catalogue card_catalogue() {
  return std::move(Catalogue::load(std::string(DRYFIT_SOURCE_DIR) + "/cards")).value();
}

/// Predicts the same for every job.
inline Predict always(double median, double upper, bool familiar = true) {
  return [=](const predictor::JobDescription&, double coverage) {
    return predictor::Prediction{.median_bytes = median,
                                 .upper_bytes = upper,
                                 .coverage = coverage,
                                 .distance = familiar ? 0.5 : 2.0,
                                 .familiar = familiar,
                                 .knowledge = predictor::Knowledge::layers};
  };
}

/// 200 resnets that took 1.5 times their bound.
inline history::KeptCalibration half_too_low() {
  const predictor::SitePair pair{.group = {"rtx-4090-24gb", "resnet"},
                                 .median = 1000,
                                 .upper = 1000,
                                 .coverage = 0.95,
                                 .actual = 1500,
                                 .at_least = false};
  return {.site = predictor::calibrate(std::vector(200, pair)), .latest = 1793612100};
}

inline SiteCorrection site_with(history::KeptCalibration calibration) {
  return {.bounds = std::make_unique<const SiteBounds>("site.json", std::move(calibration)), .problem = ""};
}

/// Predicts the same for every step: 0.5 s, between 0.25 and 1.
inline PredictCompute always_half_a_second(bool measured = true, bool familiar = true) {
  return [=](const predictor::JobDescription&, const Card&, double coverage) {
    return predictor::ComputePrediction{.median_seconds = 0.5,
                                        .lower_seconds = 0.25,
                                        .upper_seconds = 1,
                                        .coverage = coverage,
                                        .achieved_flops = 3e12,
                                        .utilisation = 0.125,
                                        .distance = familiar ? 0.5 : 2.0,
                                        .familiar = familiar,
                                        .measured = measured};
  };
}

inline PredictDefaults resnet_on(std::vector<std::string> gpus) {
  return {.model = "resnet50", .batch = 64, .gpus = std::move(gpus)};
}

}  // namespace dryfit::cli::testing
