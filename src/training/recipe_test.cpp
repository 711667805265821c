// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/recipe.h"

#include <gtest/gtest.h>

#include <limits>

namespace dryfit::training {
namespace {

TEST(Recipe, The_rate_rises_to_its_highest_and_falls_to_its_last) {
  const auto recipe = sequence_recipe();
  EXPECT_DOUBLE_EQ(learning_rate_at(recipe, 0, 100), 3e-3 / 5);
  EXPECT_DOUBLE_EQ(learning_rate_at(recipe, 4, 100), 3e-3);
  EXPECT_DOUBLE_EQ(learning_rate_at(recipe, 5, 100), 3e-3);
  EXPECT_NEAR(learning_rate_at(recipe, 52, 100), 3e-3 * 0.51, 3e-5);
  EXPECT_DOUBLE_EQ(learning_rate_at(recipe, 99, 100), 3e-3 * 0.02);
  for (std::size_t step = 6; step < 100; ++step) {
    EXPECT_LT(learning_rate_at(recipe, step, 100), learning_rate_at(recipe, step - 1, 100));
  }
}

TEST(Recipe, A_single_step_is_taken_at_the_highest_rate) {
  EXPECT_DOUBLE_EQ(learning_rate_at(sequence_recipe(), 0, 1), 3e-3);
}

TEST(Recipe, The_average_forgets_fast_at_first_and_then_as_given) {
  const auto recipe = sequence_recipe();
  EXPECT_DOUBLE_EQ(average_at(recipe, 0), 0.1);
  EXPECT_DOUBLE_EQ(average_at(recipe, 80), 0.9);
  EXPECT_DOUBLE_EQ(average_at(recipe, 100'000), 0.99);
  double left = 1;
  for (std::size_t step = 0; step < 270; ++step) left *= average_at(recipe, step);
  EXPECT_LT(left, 1e-6);
}

TEST(Recipe, Numbers_that_make_no_sense_are_named) {
  EXPECT_TRUE(check(sequence_recipe()));
  EXPECT_TRUE(check(flat_recipe()));
  EXPECT_EQ(check({.epochs = 0}).error().what, "the recipe's epochs is 0.000000");
  EXPECT_EQ(check({.learning_rate = std::numeric_limits<double>::quiet_NaN()}).error().what,
            "the recipe's learning rate is nan");
  EXPECT_EQ(check({.average = 1}).error().what, "the recipe's average is 1.000000");
}

}  // namespace
}  // namespace dryfit::training
