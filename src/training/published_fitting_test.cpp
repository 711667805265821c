// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/published_fitting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "predictor/data_set_testing.h"

namespace dryfit::training {
namespace {

using predictor::DataSet;
using predictor::testing::ignore;
using predictor::testing::mean_log_error;
using predictor::testing::sample_set;

PublishedPlan paper2(Reading reading, std::size_t epochs) {
  PublishedPlan plan{.paper = Paper::two, .reading = reading, .recipe = published_recipe(Paper::two)};
  plan.recipe.epochs = epochs;
  plan.recipe.batch = 16;
  return plan;
}

Result<std::vector<double>> learn(const PublishedPlan& plan, const DataSet& data) {
  return learner_of(plan, ignore)(data, 0, 1);
}

TEST(PublishedFitting, Paper_2_learns_in_its_channel_reading) {
  const auto data = sample_set(90);
  const auto early = learn(paper2(Reading::channels, 1), data);
  const auto late = learn(paper2(Reading::channels, 60), data);
  ASSERT_TRUE(early && late);
  EXPECT_LT(mean_log_error(data, 0, *late), 0.5 * mean_log_error(data, 0, *early));
}

TEST(PublishedFitting, The_same_seed_gives_the_same_amounts_and_the_other_reading_others) {
  const auto data = sample_set(45);
  const auto first = learn(paper2(Reading::tokens, 3), data);
  const auto again = learn(paper2(Reading::tokens, 3), data);
  const auto other = learn(paper2(Reading::channels, 3), data);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
}

TEST(PublishedFitting, No_amount_is_below_the_least_that_was_known) {
  auto data = sample_set(45);
  double least = data.examples[1].truth;
  for (const auto place : data.folds.trained_in(0)) least = std::min(least, data.examples[place].truth);
  for (const auto place : data.folds.tested_in(0)) {
    for (auto& feature : data.examples[place].features) feature -= 100;
  }
  const auto predicted = learn(paper2(Reading::channels, 20), data);
  ASSERT_TRUE(predicted);
  for (const double amount : *predicted) EXPECT_GE(amount, least);
}

TEST(PublishedFitting, Large_tables_get_fewer_epochs_where_updates_are_limited) {
  const auto paper1 = published_recipe(Paper::one);
  EXPECT_EQ(epochs_over(316, paper1), 50u);
  EXPECT_EQ(epochs_over(3377, paper1), 18u);
  EXPECT_EQ(epochs_over(10'000'000, paper1), 1u);
  EXPECT_EQ(epochs_over(10'000'000, published_recipe(Paper::two)), 200u);
}

TEST(PublishedFitting, Paper_1_can_be_trained) {
  const auto data = sample_set(12);
  PublishedPlan plan{.paper = Paper::one, .recipe = published_recipe(Paper::one)};
  plan.recipe.epochs = 1;
  plan.recipe.batch = 8;
  for (const auto reading : {Reading::channels, Reading::tokens}) {
    plan.reading = reading;
    const auto predicted = learn(plan, data);
    ASSERT_TRUE(predicted) << predicted.error().what;
    EXPECT_EQ(predicted->size(), 4u);
  }
}

}  // namespace
}  // namespace dryfit::training
