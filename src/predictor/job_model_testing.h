// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "predictor/job_model.h"
#include "predictor/network_reference.h"
#include "predictor/testing.h"

namespace dryfit::predictor::testing {

/// Batches of 2 and 10 in fp32 and bf16, with checkpointing and without: 20 MiB and 4, 2 or 1 MiB a sample.
inline std::vector<Probe> sample_probes() {
  constexpr double kMib = 1024 * 1024;
  std::vector<Probe> probes;
  for (const auto precision : {Precision::fp32, Precision::bf16_amp, Precision::bf16}) {
    for (const bool checkpointing : {false, true}) {
      const double slope = (precision == Precision::fp32 ? 4 : 2) * (checkpointing ? 0.5 : 1) * kMib;
      for (const double batch : {2, 10}) {
        probes.push_back({precision, checkpointing, batch, 20 * kMib + batch * slope, batch * slope / 2, 8.0});
      }
    }
  }
  return probes;
}

/// Two blocks, batch 4: 1 MiB and 2 MiB kept per sample, and 8 MiB of parameters, mostly in the second.
inline JobDescription sample_description() {
  constexpr double kMib = 1024 * 1024;
  Block first;
  first[BlockField::run] = 1;
  first[BlockField::saved_bytes] = kMib;
  first[BlockField::param_bytes] = 2 * kMib;
  first[BlockField::max_out_bytes] = kMib / 2;
  Block second;
  second[BlockField::run] = 2;
  second[BlockField::saved_bytes] = 2 * kMib;
  second[BlockField::param_bytes] = 6 * kMib;
  second[BlockField::max_out_bytes] = kMib / 4;
  second[BlockField::saved_norm] = kMib / 2;
  return {.model = {.source = "made up",
                    .name = "tiny",
                    .size = 32,
                    .parameters = 2 * kMib,
                    .parameter_bytes = 8 * kMib,
                    .buffer_bytes = kMib,
                    .flops = 1e9,
                    .forward_bytes = 3 * kMib,
                    .blocks = {first, second},
                    .probes = sample_probes()},
          .batch = 4,
          .optimizer = Optimizer::adam,
          .precision = Precision::fp32,
          .multiprocessors = 128,
          .compute_capability = 8.9};
}

/// Jobs that differ in batch, optimizer, precision and checkpointing.
inline std::vector<JobDescription> varied_descriptions() {
  std::vector<JobDescription> jobs;
  for (int i = 0; i < 24; ++i) {
    auto job = sample_description();
    job.batch = 1 << i % 6;
    job.optimizer = i % 2 == 0 ? Optimizer::sgd : Optimizer::adam;
    job.precision = i % 3 == 0 ? Precision::bf16_amp : Precision::fp32;
    job.checkpointing = i % 4 == 0;
    job.model.parameter_bytes *= 1 + i % 5;
    jobs.push_back(job);
  }
  return jobs;
}

/// A shape of the smallest allowed size.
inline NetworkShape least_shape(Knowledge knowledge) {
  auto shape = sequence_shape(Core::bigru, job_feature_count(knowledge), kBlockFields);
  shape.width = shape.gru_units = shape.feed_forward = shape.hidden = 16;
  shape.heads = 1;
  return shape;
}

/// A tree that answers -0.1 up to a threshold of the first feature, and 0.1 above it.
inline BoostedTrees sample_trees(Knowledge knowledge) {
  return {.features = job_feature_count(knowledge),
          .start = 0.01,
          .roots = {0},
          .nodes = {{.value = 0, .feature = 0, .next = 1}, {.value = -0.1f}, {.value = 0.1f}}};
}

/// Untrained: one network, one tree, two folds of 49 residuals from -0.12 to 0.12.
inline JobVariant sample_variant(Knowledge knowledge) {
  JobVariant variant{.knowledge = knowledge,
                     .base = {{100, 50, 1, 0.5, 1, 0.1, 0.2, 1, 0.3, 1, 1, 2}},
                     .offset = 0.05,
                     .min_correction = -0.5,
                     .max_correction = 0.5};
  std::vector<std::vector<double>> features;
  std::vector<double> rows;
  std::vector<double> blocks;
  for (const auto& job : varied_descriptions()) {
    const auto terms = job_terms(job, knowledge);
    features.push_back(job_features_of(job, knowledge, terms, variant.base.estimate_mib(terms)));
    rows.insert(rows.end(), features.back().begin(), features.back().end());
    const auto tokens = block_tokens_of({job.model.blocks, job.batch});
    blocks.insert(blocks.end(), tokens.begin(), tokens.end());
  }
  variant.features = fit_scaler(rows, job_feature_count(knowledge));
  if (reads_blocks(knowledge)) variant.blocks = fit_scaler(blocks, kBlockFields);
  variant.reach = fit_reach(features);
  variant.shape = least_shape(knowledge);
  variant.members = {random_weights(variant.shape, 1)};
  variant.trees = {sample_trees(knowledge)};
  for (int fold = 0; fold < 2; ++fold) {
    variant.calibration.folds.emplace_back();
    for (int i = -24; i <= 24; ++i) variant.calibration.folds.back().push_back(0.005 * i);
  }
  return variant;
}

inline JobModel sample_job_model() {
  JobModel model{.card = {"sample", "made up", "2026-01-01", "none", "unknown", "Apache-2.0"}};
  for (const auto knowledge : kAllKnowledge) model.variants.push_back(sample_variant(knowledge));
  return model;
}

}  // namespace dryfit::predictor::testing
