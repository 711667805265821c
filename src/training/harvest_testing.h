// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "predictor/job_model_testing.h"
#include "training/job_folds.h"

namespace dryfit::training::testing {

/// Jobs of six families, with peaks as physics predicts them times a factor for the optimizer. All fit, and every
/// family has jobs of all kinds.
inline HarvestExamples harvest_examples(std::size_t count) {
  constexpr double kMib = 1024 * 1024;
  const predictor::JobPhysics truth{{300, 0, 1, 0, 1.2, 0, 0, 0.8, 0, 0, 0, 0}};
  const auto jobs = predictor::testing::varied_descriptions();
  HarvestExamples examples;
  for (std::size_t i = 0; i < count; ++i) {
    auto job = jobs[i % jobs.size()];
    job.model.buffer_bytes = static_cast<double>(i % 7) * kMib;
    job.model.blocks[0][predictor::BlockField::saved_bytes] *= static_cast<double>(1 + i % 5);
    job.model.forward_bytes = job.model.blocks[0][predictor::BlockField::saved_bytes] +
                              job.model.blocks[1][predictor::BlockField::saved_bytes];
    const double factor = job.optimizer == predictor::Optimizer::sgd ? 1 : 1.3;
    const double mib = factor * truth.estimate_mib(predictor::job_terms(job, predictor::Knowledge::layers));
    examples.push_back({.line = i + 1,
                        .family = "family" + std::to_string((i + i / 6) % 6),
                        .job = job,
                        .ending = predictor::Ending::fits,
                        .bytes = mib * kMib,
                        .room_bytes = 2000 * kMib});
  }
  return examples;
}

inline void ignore_line(const std::string&) {}

}  // namespace dryfit::training::testing
