// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/compute_predictor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "predictor/compute_testing.h"

namespace dryfit::predictor {
namespace {

using testing::card_of;
using testing::sample_compute_model;
using testing::sample_step_job;

ComputePrediction predicted(const JobDescription& job, const char* card = "rtx-3090-24gb", double coverage = 0.9) {
  const auto prediction = ComputePredictor::of(sample_compute_model())->predict(job, card_of(card), coverage);
  EXPECT_TRUE(prediction) << prediction.error().what;
  return prediction ? *prediction : ComputePrediction{};
}

std::string problem_of_compute_model(const ComputeModel& model) {
  const auto predictor = ComputePredictor::of(model);
  return predictor ? "" : predictor.error().what;
}

TEST(ComputePredictor, The_interval_lies_around_the_median_by_the_calibrated_margins) {
  const auto prediction = predicted(sample_step_job());
  EXPECT_TRUE(prediction.familiar);
  EXPECT_LE(prediction.distance, 1);
  EXPECT_NEAR(std::log(prediction.upper_seconds / prediction.median_seconds), 0.45, 1e-9);  // the 95th of 99
  EXPECT_NEAR(std::log(prediction.median_seconds / prediction.lower_seconds), 0.45, 1e-9);
  EXPECT_EQ(prediction.coverage, 0.9);
}

TEST(ComputePredictor, Achieved_operations_and_utilisation_follow_from_the_median) {
  const auto prediction = predicted(sample_step_job());
  EXPECT_NEAR(prediction.achieved_flops, 64 * 9e9 / prediction.median_seconds, 1);
  EXPECT_NEAR(prediction.utilisation, prediction.achieved_flops / 71.16e12, 1e-3);
  EXPECT_LT(prediction.utilisation, 1);
}

TEST(ComputePredictor, Twice_the_batch_takes_about_twice_as_long_and_a_faster_card_less) {
  auto job = sample_step_job();
  const double once = predicted(job).median_seconds;
  const double faster = predicted(job, "h100-80gb").median_seconds;
  EXPECT_LT(faster, once);
  job.batch *= 2;
  const double twice = predicted(job).median_seconds;
  EXPECT_GT(twice, 1.5 * once);
  EXPECT_LT(twice, 2.5 * once);
}

TEST(ComputePredictor, A_card_that_was_not_measured_is_marked_and_its_interval_is_wider) {
  const auto prediction = predicted(sample_step_job(), "rtx-4090-24gb");
  EXPECT_FALSE(prediction.familiar);
  EXPECT_FALSE(prediction.measured);
  EXPECT_GE(prediction.distance, 2);
  EXPECT_GE(std::log(prediction.upper_seconds / prediction.median_seconds), 0.45 + 0.3 - 1e-9);
}

TEST(ComputePredictor, A_precision_and_a_size_that_were_not_learned_are_marked_and_the_interval_is_wider) {
  auto job = sample_step_job();
  job.precision = Precision::fp32;
  const auto precise = predicted(job);
  EXPECT_FALSE(precise.familiar);
  EXPECT_FALSE(precise.measured);
  EXPECT_NEAR(std::log(precise.upper_seconds / precise.median_seconds), 2 * 0.45 + 0.3, 1e-9);
  job = sample_step_job();
  job.batch = 1e6;
  const auto large = predicted(job);
  EXPECT_FALSE(large.familiar);
  EXPECT_GT(large.upper_seconds / large.median_seconds, 2);
}

TEST(ComputePredictor, A_kind_of_layers_that_was_not_measured_on_the_card_is_marked) {
  auto job = sample_step_job();
  EXPECT_EQ(setting_of("rtx-3090-24gb", job), "rtx-3090-24gb, fp16-amp, convolutions");
  job.model.blocks[1][BlockField::n_linear] = 50;
  EXPECT_EQ(setting_of("rtx-3090-24gb", job), "rtx-3090-24gb, fp16-amp, linear layers");
  EXPECT_FALSE(predicted(job).measured);
  job.model.blocks.clear();
  EXPECT_TRUE(predicted(job).measured) << "of whatever kind it may be";
}

TEST(ComputePredictor, Without_blocks_it_answers_by_operations_and_without_both_not_at_all) {
  auto job = sample_step_job();
  const double layers = predicted(job).median_seconds;
  job.model.blocks.clear();
  EXPECT_NE(predicted(job).median_seconds, layers);
  job.model.flops = 0;
  const auto refused = ComputePredictor::of(sample_compute_model())->predict(job, card_of("rtx-3090-24gb"), 0.9);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the blocks and operations of the model 'tiny' are both unknown");
}

TEST(ComputePredictor, A_bad_job_a_bad_coverage_and_a_card_without_rates_are_errors_and_never_a_number) {
  const auto predictor = ComputePredictor::of(sample_compute_model());
  const auto& card = card_of("rtx-3090-24gb");
  auto job = sample_step_job();
  EXPECT_FALSE(predictor->predict(job, card, -1.5));
  EXPECT_FALSE(predictor->predict(job, card, 1));
  EXPECT_FALSE(predictor->predict(job, card, 0.999));
  EXPECT_FALSE(predictor->predict(job, {.id = "empty"}, 0.9));
  job.model.flops = std::nan("");
  EXPECT_FALSE(predictor->predict(job, card, 0.9));
  job = sample_step_job();
  job.batch = 0;
  EXPECT_FALSE(predictor->predict(job, card, 0.9));
  job = sample_step_job();
  job.model.blocks[0][BlockField::macs] = std::nan("");
  EXPECT_FALSE(predictor->predict(job, card, 0.9));
}

TEST(ComputePredictor, A_model_with_parts_that_do_not_belong_together_is_refused) {
  EXPECT_EQ(problem_of_compute_model({.card = sample_compute_model().card}),
            "the model 'sample' has no trained variants");
  auto model = sample_compute_model();
  model.card.licence.clear();
  EXPECT_EQ(problem_of_compute_model(model), "the model's description is incomplete");
  model = sample_compute_model();
  model.gpu_shift = std::nan("");
  EXPECT_EQ(problem_of_compute_model(model), "the model 'sample': its shift for unseen GPUs is invalid");
  model = sample_compute_model();
  model.variants.push_back(model.variants[0]);
  EXPECT_EQ(problem_of_compute_model(model), "the model 'sample' has two variants 'operations'");
  const auto problem_after = [](auto change) {
    auto changed = sample_compute_model();
    change(changed.variants[1]);
    return problem_of_compute_model(changed);
  };
  const std::string begin = "the model's variant 'layers': ";
  EXPECT_EQ(problem_after([](ComputeVariant& variant) { variant.base.weights[3] = -1; }),
            begin + "its roofline is invalid");
  EXPECT_EQ(problem_after([](ComputeVariant& variant) { variant.min_correction = 9; }),
            begin + "the range of its corrections is invalid");
  EXPECT_EQ(problem_after([](ComputeVariant& variant) { variant.trees.clear(); }), begin + "its trees are invalid");
  EXPECT_EQ(problem_after([](ComputeVariant& variant) { variant.trees[0].features = 3; }),
            begin + "its trees are invalid");
  EXPECT_EQ(problem_after([](ComputeVariant& variant) { variant.above.folds[0][0] = 9; }),
            begin + "its calibration is invalid");
  EXPECT_EQ(problem_after([](ComputeVariant& variant) { variant.reach.low[0] = 1e9; }),
            begin + "the range of its training data is invalid");
}

}  // namespace
}  // namespace dryfit::predictor
