// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/memory_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "predictor/model_testing.h"

namespace dryfit::predictor {
namespace {

using testing::sample_job;
using testing::sample_model;

MemoryPredictor predictor_of(const MemoryModel& model) {
  auto predictor = MemoryPredictor::of(model);
  EXPECT_TRUE(predictor) << predictor.error().what;
  return std::move(predictor).value();
}

std::string problem_of(const MemoryModel& model) {
  const auto predictor = MemoryPredictor::of(model);
  return predictor ? "" : predictor.error().what;
}

TEST(MemoryModel, The_peak_is_the_base_times_the_geometric_mean_of_its_members) {
  const auto model = sample_model(FeatureSet::layers, 0);
  const auto job = sample_job();
  const auto input = encode(model.encoding, job);
  double sum = 0;
  for (const auto& weights : model.members) {
    sum += Network::of(model.shape, weights)->answer(input.job, input.tokens);
  }
  const auto peak = predictor_of(model).peak_mib(job);
  ASSERT_TRUE(peak);
  EXPECT_NEAR(*peak, model.base.estimate_mib(job) * std::exp(0.25 + sum / 2), 1e-6 * *peak);
}

TEST(MemoryModel, A_network_reads_the_scaled_features_and_blocks_whatever_the_processor) {
  const auto encoding = sample_model(FeatureSet::layers, 0).encoding;
  for (const auto* kernels : usable_kernels()) {
    NetworkInput input;
    for (const auto& job : testing::varied_jobs()) {
      encode(encoding, job, *kernels, input);
      const auto features = encoding.job.apply(features_of(job, FeatureSet::layers));
      const auto tokens = encoding.block.apply(block_tokens_of({job.blocks, job.batch}));
      ASSERT_EQ(input.job.size(), features.size());
      ASSERT_EQ(input.tokens.size(), tokens.size());
      for (std::size_t i = 0; i < features.size(); ++i) EXPECT_NEAR(input.job[i], features[i], 1e-6) << i;
      for (std::size_t i = 0; i < tokens.size(); ++i) EXPECT_NEAR(input.tokens[i], tokens[i], 1e-6) << i;
    }
  }
}

TEST(MemoryModel, Many_jobs_get_the_answers_that_each_gets_alone) {
  const auto predictor = predictor_of(sample_model(FeatureSet::layers, 0));
  std::vector<Job> jobs;
  while (jobs.size() < 700) {
    for (const auto& job : testing::varied_jobs()) jobs.push_back(job);
  }
  jobs[300].batch = 0;
  for (const std::size_t threads : {1, 3}) {
    const auto peaks = predictor.peaks_mib(jobs, threads);
    ASSERT_EQ(peaks.size(), jobs.size());
    EXPECT_EQ(peaks[300].error().what, "the job's 'batch' is 0.000000");
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (i == 300) continue;
      EXPECT_EQ(*peaks[i], *predictor.peak_mib(jobs[i])) << i;
    }
  }
}

TEST(MemoryModel, No_jobs_have_no_peaks) {
  EXPECT_TRUE(predictor_of(sample_model(FeatureSet::plain, 16)).peaks_mib({}, 2).empty());
}

TEST(MemoryModel, A_plain_model_needs_no_blocks_and_one_of_layers_does) {
  auto job = sample_job();
  job.blocks.clear();
  EXPECT_TRUE(predictor_of(sample_model(FeatureSet::plain, 16)).peak_mib(job));
  for (const std::size_t bins : {0, 16}) {
    const auto peak = predictor_of(sample_model(FeatureSet::layers, bins)).peak_mib(job);
    ASSERT_FALSE(peak);
    EXPECT_EQ(peak.error().what, "the model 'sample' needs the job's blocks");
  }
}

TEST(MemoryModel, A_nonsensical_job_gets_no_number) {
  auto job = sample_job();
  job.batch = 0;
  EXPECT_EQ(predictor_of(sample_model(FeatureSet::layers, 0)).peak_mib(job).error().what,
            "the job's 'batch' is 0.000000");
}

TEST(MemoryModel, An_answer_beyond_all_numbers_is_an_error) {
  auto model = sample_model(FeatureSet::layers, 0);
  model.offset = 1e4;
  EXPECT_EQ(predictor_of(model).peak_mib(sample_job()).error().what,
            "the job is too different from the training data of the model 'sample'");
}

TEST(MemoryModel, Parts_that_do_not_belong_together_are_refused) {
  auto model = sample_model(FeatureSet::layers, 0);
  model.encoding.features = FeatureSet::plain;
  EXPECT_EQ(problem_of(model), "the model 'sample': its features do not match its network");
  model = sample_model(FeatureSet::layers, 0);
  model.encoding.block.mean.pop_back();
  EXPECT_EQ(problem_of(model), "the model 'sample': its tokens do not match its network");
  model = sample_model(FeatureSet::plain, 16);
  model.encoding.piecewise.edges.pop_back();
  EXPECT_EQ(problem_of(model), "the model 'sample': its tokens do not match its network");
  model = sample_model(FeatureSet::layers, 0);
  model.base.weights[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem_of(model), "the model 'sample': its physics base is invalid");
  model = sample_model(FeatureSet::layers, 0);
  model.members.clear();
  EXPECT_EQ(problem_of(model), "the model 'sample': it has no network");
}

TEST(MemoryModel, An_empty_description_is_refused) {
  auto model = sample_model(FeatureSet::layers, 0);
  model.card.licence.clear();
  EXPECT_EQ(problem_of(model), "the model's description is incomplete");
}

}  // namespace
}  // namespace dryfit::predictor
