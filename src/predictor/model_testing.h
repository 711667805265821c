// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "predictor/memory_model.h"
#include "predictor/network_reference.h"
#include "predictor/testing.h"

namespace dryfit::predictor::testing {

/// Jobs that differ in everything.
inline std::vector<Job> varied_jobs() {
  std::vector<Job> jobs;
  for (int i = 0; i < 20; ++i) {
    auto job = sample_job();
    job.batch = 1 + i % 7;
    job.params_m = 1 + i * i % 13;
    job.macts_m = 1 + i % 5;
    job.estimate_mib = 100 + 50 * (i % 9);
    job.blocks = {sample_block(i), sample_block(i % 4), sample_block(i % 3)};
    jobs.push_back(job);
  }
  return jobs;
}

/// Untrained, of two networks: over blocks, or (with bins) over features.
inline MemoryModel sample_model(FeatureSet features, std::size_t bins) {
  const auto count = feature_count(features);
  const auto shape = bins > 0 ? flat_shape(Core::bigru_transformer, count, bins)
                              : sequence_shape(Core::bigru_transformer, count, kBlockFields);
  return {.card = {"sample", "made up", "2026-01-01", "none", "unknown", "Apache-2.0"},
          .encoding = fit_encoding(varied_jobs(), features, bins),
          .base = {{500, 16, 0.9, 2, 3}},
          .offset = 0.25,
          .shape = shape,
          .members = {random_weights(shape, 1), random_weights(shape, 2)}};
}

}  // namespace dryfit::predictor::testing
