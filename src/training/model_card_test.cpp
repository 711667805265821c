// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/model_card.h"

#include <gtest/gtest.h>

#include "training/job_testing.h"

namespace dryfit::training {
namespace {

predictor::TimmMemory some_data() {
  return {.jobs = testing::measured_jobs(24), .rows = {}, .folds = {.rows = {}, .folds = {}, .count = 3}};
}

TEST(ModelCard, It_names_the_training_data_and_the_errors) {
  const auto data = some_data();
  predictor::Contender right{"net x2", {}};
  for (const auto& job : data.jobs) right.predicted.push_back(job.measured_mib);
  const auto card = card_of({"first", "2026-01-01", "Apache-2.0"}, data, "module5_s0", {&right, 1}, "net x2");
  ASSERT_TRUE(card) << card.error().what;
  EXPECT_EQ(card->name, "first");
  EXPECT_EQ(card->data, "timm-train-memory.csv: 24 measured training peaks of 12 models of 4 modules");
  EXPECT_EQ(card->date, "2026-01-01");
  EXPECT_EQ(card->folds, "module5_s0, 3 folds; 'net x2', each job predicted without its fold");
  EXPECT_EQ(card->errors, "in GiB: MSE 0.000, RMSE 0.000, MAE 0.0000; MAPE 0.00 %; R2 1.0000");
  EXPECT_EQ(card->licence, "Apache-2.0");
}

TEST(ModelCard, Errors_of_another_model_are_not_taken) {
  const std::vector<predictor::Contender> predictions{{"net x2", {}}};
  EXPECT_EQ(card_of({}, some_data(), "module5_s0", predictions, "net x5").error().what,
            "the predictions have no column 'net x5', so the model's errors are unknown");
}

}  // namespace
}  // namespace dryfit::training
