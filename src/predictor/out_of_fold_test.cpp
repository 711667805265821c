// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/out_of_fold.h"

#include <gtest/gtest.h>

#include "training/job_testing.h"

namespace dryfit::training {
namespace {

predictor::TimmMemory six_jobs() {
  return {.jobs = testing::measured_jobs(6),
          .rows = {10, 11, 12, 20, 21, 22},
          .folds = {.rows = {0, 1, 2, 3, 4, 5}, .folds = {0, 1, 2, 0, 1, 2}, .count = 3}};
}

/// Says a thousand times the seed and, for each job, its batch.
Result<std::vector<double>> echo(const Jobs&, const Jobs& asked, std::uint64_t seed) {
  std::vector<double> peaks;
  for (const auto& job : asked) peaks.push_back(static_cast<double>(1000 * seed) + job.job.batch);
  return peaks;
}

TEST(OutOfFold, A_job_is_never_among_those_its_prediction_learned_from) {
  const auto data = six_jobs();
  std::size_t calls = 0;
  const Learner learner = [&](const Jobs& known, const Jobs& asked, std::uint64_t seed) {
    ++calls;
    EXPECT_EQ(known.size(), 4u);
    EXPECT_EQ(asked.size(), 2u);
    for (const auto& job : asked) {
      for (const auto& other : known) EXPECT_NE(job.model, other.model);
    }
    return echo(known, asked, seed);
  };
  ASSERT_TRUE(predict_out_of_fold(data, learner, "echo", 0, testing::ignore));
  EXPECT_EQ(calls, 3u);
}

TEST(OutOfFold, Each_prediction_stands_at_its_job_and_comes_from_its_folds_seed) {
  const auto data = six_jobs();
  const auto contender = predict_out_of_fold(data, echo, "echo", 2, testing::ignore);
  ASSERT_TRUE(contender);
  EXPECT_EQ(contender->name, "echo seed 2");
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(contender->predicted[i], 1000.0 * static_cast<double>(2000 + i % 3) + data.jobs[i].job.batch);
  }
}

TEST(OutOfFold, An_ensemble_is_the_geometric_mean) {
  const std::vector<predictor::Contender> contenders{{"net seed 0", {100, 7}}, {"net seed 1", {400, 7}}};
  const auto ensemble = ensemble_of("net", contenders);
  EXPECT_EQ(ensemble.name, "net x2");
  EXPECT_NEAR(ensemble.predicted[0], 200, 1e-9);
  EXPECT_NEAR(ensemble.predicted[1], 7, 1e-9);
}

TEST(OutOfFold, The_fold_that_failed_is_named) {
  const Learner learner = [](const Jobs&, const Jobs&, std::uint64_t) -> Result<std::vector<double>> {
    return Error{"no luck", ""};
  };
  const auto contender = predict_out_of_fold(six_jobs(), learner, "net", 0, testing::ignore);
  EXPECT_EQ(contender.error().what, "fold 1 of 3: no luck");
}

TEST(OutOfFold, The_table_is_one_that_can_be_scored) {
  const std::vector<std::size_t> rows{4, 9};
  const std::vector<predictor::Contender> contenders{{"net seed 0", {1234.5, 10}}, {"net seed 1", {2000, 20.25}}};
  const auto text = predictions_table(rows, contenders);
  EXPECT_EQ(text, "row,net seed 0,net seed 1\n4,1234.5,2000\n9,10,20.25\n");
  const auto table = predictor::parse_table(text, "p.csv");
  ASSERT_TRUE(table);
  const auto read = predictor::contenders_in(*table, rows);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ((*read)[1].predicted, contenders[1].predicted);
}

}  // namespace
}  // namespace dryfit::training
