// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "card/catalogue.h"
#include "predictor/compute_example.h"
#include "predictor/compute_features.h"
#include "predictor/compute_model.h"
#include "predictor/reach.h"

namespace dryfit::predictor::testing {

inline const Catalogue& all_cards() {
  static const auto loaded = Catalogue::load(DRYFIT_SOURCE_DIR "/cards");
  return loaded.value();
}

inline const Card& card_of(const std::string& id) { return all_cards().find(id)->card; }

inline PeakRates rates_of(const std::string& id) { return peak_rates_of(card_of(id)).value(); }

/// Two blocks: convolutions with a billion multiply-adds and 10 MB kept, and linear layers with half of both; batch 64.
inline JobDescription sample_step_job() {
  Block convolutions;
  convolutions[BlockField::run] = 1;
  convolutions[BlockField::macs] = 1e9;
  convolutions[BlockField::saved_bytes] = 10e6;
  convolutions[BlockField::max_out_bytes] = 1e6;
  convolutions[BlockField::param_bytes] = 40e6;
  convolutions[BlockField::n_conv] = 10;
  convolutions[BlockField::k_conv] = 3;
  convolutions[BlockField::max_channels] = 256;
  Block linear;
  linear[BlockField::run] = 1;
  linear[BlockField::macs] = 5e8;
  linear[BlockField::saved_bytes] = 5e6;
  linear[BlockField::param_bytes] = 60e6;
  linear[BlockField::n_linear] = 5;
  return {.model = {.source = "made up",
                    .name = "tiny",
                    .size = 224,
                    .parameters = 25e6,
                    .parameter_bytes = 100e6,
                    .flops = 9e9,
                    .forward_bytes = 15e6,
                    .blocks = {convolutions, linear}},
          .batch = 64,
          .optimizer = Optimizer::momentum,
          .precision = Precision::fp16_amp,
          .multiprocessors = 82,
          .compute_capability = 8.6};
}

/// Steps of four groups in as many folds, on two chips, each a tenth slower than twice a plain sum of its terms or,
/// where the model is large, a tenth faster.
inline std::vector<ComputeExample> sample_steps() {
  std::vector<ComputeExample> examples;
  for (std::size_t i = 0; i < 160; ++i) {
    ComputeExample example{
        .job = sample_step_job(), .group = "group " + std::to_string(i % 4), .fold = i % 4, .row = i};
    example.job.batch = static_cast<double>(8 << i % 5);
    for (auto& block : example.job.model.blocks) {
      block[BlockField::macs] *= 1 + static_cast<double>(i % 7);
      block[BlockField::saved_bytes] *= 1 + static_cast<double>(i % 3);
    }
    example.job.model.flops *= 1 + static_cast<double>(i % 7);
    example.job.model.parameter_bytes *= 1 + static_cast<double>(i / 7 % 5);
    example.job.model.blocks[0][BlockField::n_conv] += static_cast<double>(10 * (i / 5 % 9));
    const auto status = put_on_card(example, all_cards(), i % 2 == 0 ? "rtx-3090-24gb" : "a100-40gb");
    double seconds = 0;
    const Step step{.job = example.job, .rates = example.rates};
    for (const double term : step_terms(step, ComputeKnowledge::layers).seconds) seconds += 2 * term;
    example.seconds = status ? seconds * (i % 7 > 3 ? 0.9 : 1.1) : 0;
    examples.push_back(std::move(example));
  }
  return examples;
}

/// A tree that answers -0.1 up to a half of the first feature, and 0.1 above it; two folds of 99 residuals from -0.49
/// to 0.49; measured on the RTX 3090, in fp16 and with batches from 8 to 512.
inline ComputeVariant sample_compute_variant(ComputeKnowledge knowledge) {
  ComputeVariant variant{
      .knowledge = knowledge, .base = {{1, 1, 10, 4, 0.2, 25, 2}}, .min_correction = -1, .max_correction = 1};
  variant.trees = {{.features = step_feature_count(knowledge),
                    .start = 0.01,
                    .roots = {0},
                    .nodes = {{.value = 0.5f, .feature = 0, .next = 1}, {.value = -0.1f}, {.value = 0.1f}}}};
  for (int fold = 0; fold < 2; ++fold) {
    std::vector<double> residuals;
    for (int i = -49; i <= 49; ++i) residuals.push_back(0.01 * i);
    variant.above.folds.push_back(residuals);
    variant.below.folds.push_back(std::move(residuals));
  }
  std::vector<std::array<double, kStepMeasures + kStepFlags>> measures;
  for (const double batch : {8.0, 512.0}) {
    auto job = sample_step_job();
    job.batch = batch;
    const auto rates = rates_of("rtx-3090-24gb");
    const Step step{.job = job, .rates = rates};
    measures.push_back(step_measures(step, step_terms(step, knowledge)));
  }
  variant.reach = fit_step_reach(measures);
  return variant;
}

inline ComputeModel sample_compute_model() {
  ComputeModel model{.card = {"sample", "made up", "2026-01-01", "none", "unknown", "Apache-2.0"},
                     .settings = {"rtx-3090-24gb, fp16-amp, convolutions"},
                     .gpu_shift = 0.3};
  for (const auto knowledge : kAllComputeKnowledge) model.variants.push_back(sample_compute_variant(knowledge));
  return model;
}

}  // namespace dryfit::predictor::testing
