// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/job_predictor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/temporary_folder.h"
#include "predictor/job_estimator.h"
#include "predictor/job_model_file.h"
#include "predictor/job_model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_description;
using testing::sample_job_model;

std::string problem_of_job_model(const JobModel& model) {
  const auto predictor = JobPredictor::of(model);
  return predictor ? "" : predictor.error().what;
}

Prediction predicted(const JobDescription& job, double coverage) {
  const auto prediction = JobPredictor::of(sample_job_model())->predict(job, coverage);
  EXPECT_TRUE(prediction) << prediction.error().what;
  return prediction ? *prediction : Prediction{};
}

TEST(JobPredictor, The_bound_lies_above_the_median_by_the_calibrated_margin) {
  const auto prediction = predicted(sample_description(), 0.9);
  EXPECT_TRUE(prediction.familiar);
  EXPECT_LE(prediction.distance, 1);
  EXPECT_NEAR(std::log(prediction.upper_bytes / prediction.median_bytes), 0.005 * 20, 1e-9);  // the 45th of 49
  EXPECT_EQ(prediction.coverage, 0.9);
  EXPECT_GT(predicted(sample_description(), 0.95).upper_bytes, prediction.upper_bytes);
}

TEST(JobPredictor, It_answers_with_whatever_is_known_of_the_model) {
  auto job = sample_description();
  job.batch = 32;
  const double probes = predicted(job, 0.9).median_bytes;
  job.model.probes.clear();
  const double layers = predicted(job, 0.9).median_bytes;
  job.model.blocks.clear();
  const double totals = predicted(job, 0.9).median_bytes;
  job.model.forward_bytes = 0;
  const double outline = predicted(job, 0.9).median_bytes;
  EXPECT_NE(probes, layers);
  EXPECT_NE(layers, totals);
  EXPECT_NE(totals, outline);
  job.model.flops = 0;
  EXPECT_FALSE(JobPredictor::of(sample_job_model())->predict(job, 0.9));
}

TEST(JobPredictor, A_model_that_knows_nothing_of_probes_goes_by_the_layers) {
  auto job = sample_description();
  auto model = sample_job_model();
  EXPECT_EQ(JobPredictor::of(model)->predict(job, 0.9)->knowledge, Knowledge::probes);
  std::erase_if(model.variants, [](const JobVariant& variant) { return variant.knowledge == Knowledge::probes; });
  const auto prediction = JobPredictor::of(model)->predict(job, 0.9);
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->knowledge, Knowledge::layers);
  job.model.probes.clear();
  EXPECT_EQ(prediction->median_bytes, JobPredictor::of(model)->predict(job, 0.9)->median_bytes);
}

TEST(JobPredictor, An_absurd_job_is_marked_and_its_bound_is_wider) {
  auto job = sample_description();
  const auto near = predicted(job, 0.9);
  job.batch *= 1e4;
  const auto far = predicted(job, 0.9);
  EXPECT_FALSE(far.familiar);
  EXPECT_GT(far.distance, 2);
  EXPECT_GT(far.upper_bytes / far.median_bytes, 1.1 * near.upper_bytes / near.median_bytes);
  EXPECT_GT(far.median_bytes, 1e2 * near.median_bytes);
}

TEST(JobPredictor, A_model_that_was_scaled_has_a_wider_bound_and_the_same_median) {
  auto job = sample_description();
  const auto known = predicted(job, 0.9);
  job.scaled_by = 4;
  const auto scaled = predicted(job, 0.9);
  EXPECT_EQ(scaled.median_bytes, known.median_bytes);
  EXPECT_TRUE(scaled.familiar);
  const double margin = std::log(known.upper_bytes / known.median_bytes);
  EXPECT_NEAR(std::log(scaled.upper_bytes / known.upper_bytes), scaling_widening(4, margin), 1e-9);
}

TEST(JobPredictor, A_card_an_optimizer_and_a_precision_that_were_not_learned_are_marked) {
  auto job = sample_description();
  job.compute_capability = 12;
  EXPECT_FALSE(predicted(job, 0.9).familiar);
  job = sample_description();
  job.optimizer = Optimizer::adafactor;
  EXPECT_FALSE(predicted(job, 0.9).familiar);
  job = sample_description();
  job.precision = Precision::bf16;
  EXPECT_FALSE(predicted(job, 0.9).familiar);
}

TEST(JobPredictor, Networks_and_trees_answer_together) {
  auto variant = testing::sample_variant(Knowledge::layers);
  const auto answer_of = [](const JobVariant& changed) {
    const auto estimate = JobEstimator::of(changed)->estimate(sample_description());
    return std::log(estimate->mib / estimate->base_mib) - changed.offset;
  };
  variant.min_correction = -1e6;
  variant.max_correction = 1e6;
  const double both = answer_of(variant);
  auto network = variant;
  network.trees.clear();
  auto trees = variant;
  trees.members.clear();
  EXPECT_NEAR(both, (answer_of(network) + answer_of(trees)) / 2, 1e-9);
}

TEST(JobPredictor, No_answer_leaves_the_range_of_what_was_learned) {
  auto variant = testing::sample_variant(Knowledge::layers);
  variant.min_correction = variant.max_correction = 0.125;
  const auto estimate = JobEstimator::of(variant)->estimate(sample_description());
  EXPECT_NEAR(std::log(estimate->mib / estimate->base_mib), 0.05 + 0.125, 1e-9);
}

TEST(JobPredictor, A_bad_job_and_a_bad_coverage_are_errors_and_never_a_number) {
  const auto predictor = JobPredictor::of(sample_job_model());
  auto job = sample_description();
  EXPECT_FALSE(predictor->predict(job, 0));
  EXPECT_FALSE(predictor->predict(job, 1));
  EXPECT_FALSE(predictor->predict(job, 0.99));
  job.batch = 0;
  EXPECT_FALSE(predictor->predict(job, 0.9));
  job = sample_description();
  job.model.flops = std::nan("");
  EXPECT_FALSE(predictor->predict(job, 0.9));
}

TEST(JobPredictor, A_model_with_parts_that_do_not_belong_together_is_refused) {
  EXPECT_EQ(problem_of_job_model({.card = sample_job_model().card}), "the model 'sample' has no trained variants");
  auto model = sample_job_model();
  model.card.licence.clear();
  EXPECT_EQ(problem_of_job_model(model), "the model's description is incomplete");
  model = sample_job_model();
  model.variants.push_back(model.variants[0]);
  EXPECT_EQ(problem_of_job_model(model), "the model 'sample' has two variants 'outline'");
  const auto problem_after = [](auto change) {
    auto changed = sample_job_model();
    change(changed.variants[2]);
    return problem_of_job_model(changed);
  };
  const std::string begin = "the model's variant 'layers': ";
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.base.weights[3] = -1; }),
            begin + "its physics base is invalid");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.min_correction = 1; }),
            begin + "the range of its corrections is invalid");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.features.mean.pop_back(); }),
            begin + "its scales do not match its features");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.members.clear(), variant.trees.clear(); }),
            begin + "it has neither networks nor trees");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.shape.job_features = 3; }),
            begin + "its features do not match its network");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.trees[0].nodes[0].next = 9; }),
            begin + "its trees are invalid");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.calibration.folds[0][0] = 9; }),
            begin + "its calibration is invalid");
  EXPECT_EQ(problem_after([](JobVariant& variant) { variant.reach.low[0] = 1e9; }),
            begin + "the range of its training data is invalid");
}

TEST(JobPredictor, A_model_file_is_read_and_its_card_is_there) {
  const TemporaryFolder folder;
  const auto file = folder / "p.model";
  ASSERT_TRUE(write_job_model(sample_job_model(), file));
  const auto predictor = JobPredictor::read(file);
  ASSERT_TRUE(predictor) << predictor.error().what;
  EXPECT_EQ(predictor->card().name, "sample");
  EXPECT_EQ(predictor->predict(sample_description(), 0.9)->median_bytes,
            predicted(sample_description(), 0.9).median_bytes);
  std::filesystem::remove(file);
  EXPECT_FALSE(JobPredictor::read(file));
}

}  // namespace
}  // namespace dryfit::predictor
