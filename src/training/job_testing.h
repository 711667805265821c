// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "predictor/testing.h"
#include "training/model_training.h"

namespace dryfit::training::testing {

/// Jobs of four modules, with peaks as physics predicts them times a factor for the first block.
inline Jobs measured_jobs(std::size_t count) {
  Jobs jobs;
  for (std::size_t i = 0; i < count; ++i) {
    auto job = predictor::testing::sample_job();
    job.batch = static_cast<double>(1 + i % 7);
    job.params_m = static_cast<double>(5 + i * i % 13);
    job.macts_m = static_cast<double>(2 + i % 5);
    job.estimate_mib = static_cast<double>(100 + 50 * (i % 9)) * job.batch;
    job.blocks = {predictor::testing::sample_block(static_cast<double>(i % 6)),
                  predictor::testing::sample_block(static_cast<double>(i % 3))};
    const double factor = 1 + 0.1 * static_cast<double>(i % 6);
    jobs.push_back({"model" + std::to_string(i % 12), "module" + std::to_string(i % 4), job,
                    factor * (500 + 16 * job.params_m + job.estimate_mib)});
  }
  return jobs;
}

inline void ignore(const std::string&) {}

}  // namespace dryfit::training::testing
