// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/physics_base.h"

#include <gtest/gtest.h>

#include <vector>

#include "predictor/testing.h"

namespace dryfit::predictor {
namespace {

/// Jobs whose terms vary independently of each other.
std::vector<Job> varied_jobs() {
  std::vector<Job> jobs;
  for (int i = 0; i < 40; ++i) {
    auto job = testing::sample_job();
    job.batch = 1 + i % 7;
    job.image = 100 + 10 * (i % 11);
    job.params_m = 1 + i * i % 13;
    job.macts_m = 1 + i % 5;
    job.estimate_mib = 100 + 50 * (i % 9);
    jobs.push_back(job);
  }
  return jobs;
}

TEST(PhysicsBase, The_terms_are_those_of_the_contract) {
  EXPECT_EQ(physics_terms(testing::sample_job()), (std::array<double, 5>{1, 25, 1000, 44, 4 * 224 * 224 / 1e4}));
}

TEST(PhysicsBase, Weights_that_made_the_measurements_are_found_again) {
  const PhysicsBase truth{{500, 16, 0.9, 2, 3}};
  const auto jobs = varied_jobs();
  std::vector<double> measured;
  for (const auto& job : jobs) measured.push_back(truth.estimate_mib(job));
  const auto base = fit_physics(jobs, measured);
  ASSERT_TRUE(base);
  for (std::size_t i = 0; i < kPhysicsTerms; ++i) EXPECT_NEAR(base->weights[i], truth.weights[i], 1e-6) << i;
}

TEST(PhysicsBase, The_error_made_small_is_the_relative_one) {
  // A constant alone for 1 and 3: sum((c / y - 1)^2) is least at (1 + 1/3) / (1 + 1/9) = 1.2, not at 2.
  Job job{.batch = 1e-9, .image = 1e-9, .params_m = 1e-9, .gmacs = 1, .macts_m = 1e-9, .estimate_mib = 1e-9};
  const auto base = fit_physics(std::vector<Job>{job, job}, std::vector<double>{1, 3});
  ASSERT_TRUE(base);
  EXPECT_NEAR(base->estimate_mib(job), 1.2, 1e-9);
}

TEST(PhysicsBase, Without_jobs_there_is_none) { EXPECT_FALSE(fit_physics({}, {})); }

}  // namespace
}  // namespace dryfit::predictor
