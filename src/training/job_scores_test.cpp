// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/job_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dryfit::training {
namespace {

using predictor::Ending;

constexpr double kMib = 1024 * 1024;

/// Of 100 MiB each, in a room of 150.
HarvestExamples examples_of(std::size_t count) {
  HarvestExamples examples;
  for (std::size_t i = 0; i < count; ++i) {
    examples.push_back({.line = i + 1, .family = "f", .bytes = 100 * kMib, .room_bytes = 150 * kMib});
  }
  return examples;
}

TEST(JobScores, Errors_are_relative_and_of_jobs_that_fit) {
  auto examples = examples_of(4);
  examples[3].ending = Ending::does_not_fit;
  const std::vector<double> predicted{95, 110, 140, 999};
  const auto scores = score_points(examples, predicted);
  EXPECT_EQ(scores.jobs, 3u);
  EXPECT_NEAR(scores.median_error, 0.1, 1e-12);
  EXPECT_NEAR(scores.mean_error, 0.55 / 3, 1e-12);
  EXPECT_GT(scores.within_tenth, 0.3);
}

TEST(JobScores, There_are_false_fits_and_false_refusals) {
  auto examples = examples_of(4);
  examples[2].ending = examples[3].ending = Ending::does_not_fit;
  const std::vector<double> predicted{140, 160, 140, 160};
  const auto scores = score_fits(examples, predicted);
  EXPECT_EQ(scores.jobs, 4u);
  EXPECT_EQ(scores.false_fits, 1u);
  EXPECT_EQ(scores.false_refusals, 1u);
}

/// Two folds of ten: the first is underestimated by up to a tenth, the second exact.
struct TwoFolds {
  HarvestExamples examples = examples_of(20);
  JobFolds folds{.count = 2};
  OutOfFold predictions;

  TwoFolds() {
    for (std::size_t i = 0; i < 20; ++i) {
      folds.fold_of.push_back(i / 10);
      predictions.answer.push_back(i < 10 ? 100 * std::exp(-0.01 * static_cast<double>(i + 1)) : 100);
    }
    predictions.physics = predictions.answer;
    predictions.distance.assign(20, 0.5);
  }
};

TEST(JobScores, A_folds_bounds_are_calibrated_on_the_others) {
  TwoFolds made;
  const auto bounds = bound_without_fold(made.examples, made.folds, made.predictions, 0.9);
  ASSERT_TRUE(bounds) << bounds.error().what;
  for (std::size_t i = 0; i < 10; ++i) EXPECT_DOUBLE_EQ((*bounds)[i], made.predictions.answer[i]);
  for (std::size_t i = 10; i < 20; ++i) EXPECT_NEAR((*bounds)[i], 100 * std::exp(0.1), 1e-9);
  const auto scores = score_bounds(made.examples, made.folds, made.predictions, *bounds);
  EXPECT_DOUBLE_EQ(scores.coverage, 0.5);
  EXPECT_DOUBLE_EQ(scores.worst_fold, 0);
  EXPECT_DOUBLE_EQ(scores.unfamiliar, 0);
  EXPECT_DOUBLE_EQ(scores.unfamiliar_coverage, 1);
}

TEST(JobScores, A_far_job_has_a_wider_bound_and_is_counted) {
  TwoFolds made;
  made.predictions.distance[19] = 2;
  const auto bounds = bound_without_fold(made.examples, made.folds, made.predictions, 0.9);
  ASSERT_TRUE(bounds);
  EXPECT_NEAR((*bounds)[19], 100 * std::exp(0.1 + 0.1), 1e-9);
  EXPECT_DOUBLE_EQ(score_bounds(made.examples, made.folds, made.predictions, *bounds).unfamiliar, 0.05);
}

TEST(JobScores, Folds_too_small_for_the_coverage_are_an_error) {
  TwoFolds made;
  EXPECT_FALSE(bound_without_fold(made.examples, made.folds, made.predictions, 0.95));
  const auto text = describe_scores(made.examples, made.folds, made.predictions, 0.95);
  EXPECT_NE(text.find("a coverage of 0.95 is more than the model's calibration supports"), std::string::npos) << text;
}

TEST(JobScores, The_table_has_a_row_per_example_and_a_column_per_answer) {
  TwoFolds made;
  const std::vector<OutOfFold> variants{made.predictions};
  const auto table = out_of_fold_table(made.examples, made.folds, variants, 0.9);
  EXPECT_TRUE(
      table.starts_with("line,family,fold,ending,room,measured,layers physics,layers answer,layers bound,"
                        "layers distance\n1,f,0,fits,150,100,99.005,99.005,99.005,0.5\n"))
      << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 21);
}

}  // namespace
}  // namespace dryfit::training
