// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/compute_model_file.h"
#include "predictor/compute_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_steps;

constexpr auto kLayersKnown = ComputeKnowledge::layers;

const ComputePlan kPlan{.boosting = {.trees = 60}, .seeds = {0, 1}};

void quiet(const std::string&) {}

double mean_error(ComputeExamples examples, const std::vector<double>& seconds) {
  double sum = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) sum += std::abs(seconds[i] / examples[i].seconds - 1);
  return sum / static_cast<double>(examples.size());
}

TEST(ComputeTraining, Trees_learn_what_the_roofline_does_not_know) {
  const auto examples = sample_steps();
  const auto predicted = predict_steps_without_fold(examples, kLayersKnown, kPlan, quiet);
  ASSERT_TRUE(predicted) << predicted.error().what;
  EXPECT_GT(mean_error(examples, predicted->base), 0.03);
  EXPECT_LT(mean_error(examples, predicted->seconds), 0.8 * mean_error(examples, predicted->base));
  ASSERT_EQ(predicted->seeds.size(), 2u);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_NEAR(predicted->seconds[i], std::sqrt(predicted->seeds[0][i] * predicted->seeds[1][i]),
                1e-6 * predicted->seconds[i]);
  }
}

TEST(ComputeTraining, The_same_examples_give_the_same_bytes) {
  const auto examples = sample_steps();
  const auto bytes = [&] {
    ComputeModel model = testing::sample_compute_model();
    model.variants = {train_compute_variant(examples, kLayersKnown, kPlan).value()};
    return to_bytes(model);
  };
  EXPECT_EQ(bytes(), bytes());
}

TEST(ComputeTraining, Undescribed_steps_are_predicted_but_not_learned_from) {
  auto examples = sample_steps();
  const auto before = train_compute_variant(examples, kLayersKnown, kPlan);
  auto strange = examples.front();
  strange.described = false;
  strange.seconds *= 100;
  examples.push_back(strange);
  const auto after = train_compute_variant(examples, kLayersKnown, kPlan);
  EXPECT_EQ(before->base.weights, after->base.weights);
  EXPECT_EQ(before->max_correction, after->max_correction);
  EXPECT_GT(predict_steps_without_fold(examples, kLayersKnown, kPlan, quiet)->seconds.back(), 0);
}

TEST(ComputeTraining, The_calibration_holds_what_the_folds_missed_above_and_below) {
  const auto examples = sample_steps();
  const auto predicted = predict_steps_without_fold(examples, kLayersKnown, kPlan, quiet);
  auto variant = train_compute_variant(examples, kLayersKnown, kPlan).value();
  calibrate_variant(variant, examples, *predicted);
  ASSERT_EQ(variant.above.folds.size(), 4u);
  EXPECT_EQ(variant.above.folds[0].size(), 40u);
  EXPECT_EQ(variant.above.folds[0].front(), -variant.below.folds[0].back());
  EXPECT_TRUE(check(variant)) << check(variant).error().what;
}

TEST(ComputeTraining, Intervals_have_about_the_requested_coverage) {
  const auto examples = sample_steps();
  const auto predicted = predict_steps_without_fold(examples, kLayersKnown, kPlan, quiet);
  const auto scores = score_intervals(examples, *predicted, 0.8);
  ASSERT_TRUE(scores) << scores.error().what;
  EXPECT_GE(scores->coverage, 0.8);
  EXPECT_LE(scores->worst_fold, scores->coverage);
  EXPECT_GE(scores->factor, 1);
  EXPECT_FALSE(score_intervals(examples, *predicted, 0.99)) << "40 steps of a fold cannot tell";
}

TEST(ComputeTraining, A_chip_that_is_slower_than_its_rates_is_found_to_be_when_it_is_left_out) {
  auto examples = sample_steps();
  for (auto& example : examples) {
    if (example.gpu == "a100-40gb") example.seconds *= 1.5;
  }
  for (std::size_t i = 0; i < examples.size(); ++i) examples[i].group = "group " + std::to_string(i / 2 % 4);
  const auto shifts = shifts_of_unseen_gpus(examples, kLayersKnown, kPlan, quiet);
  ASSERT_TRUE(shifts) << shifts.error().what;
  ASSERT_EQ(shifts->size(), 2u);
  EXPECT_EQ(shifts->at(0).compute_capability, 8.0);
  EXPECT_EQ(shifts->at(0).steps, 80u);
  EXPECT_NEAR(shifts->at(0).shift, std::log(1.5), 0.15);
  EXPECT_NEAR(shifts->at(1).shift, -std::log(1.5), 0.15);
}

TEST(ComputeTraining, Chips_with_jobs_that_ran_nowhere_else_have_no_shift) {
  EXPECT_TRUE(shifts_of_unseen_gpus(sample_steps(), kLayersKnown, kPlan, quiet)->empty());
}

TEST(ComputeTraining, No_steps_and_a_time_that_is_not_a_number_are_errors) {
  EXPECT_EQ(train_compute_variant({}, kLayersKnown, kPlan).error().what, "no measured steps to learn from");
  auto examples = sample_steps();
  examples[3].seconds = std::nan("");
  EXPECT_EQ(train_compute_variant(examples, kLayersKnown, kPlan).error().what,
            "row 3: the time of a step is not above zero");
}

}  // namespace
}  // namespace dryfit::predictor
