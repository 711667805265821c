// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/boosting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dryfit::predictor {
namespace {

/// A step, a slope, and a column of noise; every twentieth answer is far off.
TreeTable sample_rows(std::size_t rows) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  TreeTable table{.columns = 3, .inputs = {}, .answers = {}};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < 3; ++i) table.inputs.push_back(uniform(random));
    const auto* x = table.inputs.data() + 3 * row;
    table.answers.push_back((x[0] > 0.2f ? 1.0 : 0.0) + 0.5 * x[1] + (row % 20 == 0 ? 50 : 0));
  }
  return table;
}

BoostingRecipe short_recipe() { return {.trees = 60, .limits = {.leaves = 8, .least_rows = 20}, .rate = 0.2}; }

std::string problem_of_boosting(const TreeTable& table, const BoostingRecipe& recipe) {
  const auto trees = boost(table, recipe, 1);
  return trees ? "" : trees.error().what;
}

TEST(Boosting, It_learns_a_relation_and_does_not_mind_rows_that_are_far_off) {
  const auto table = sample_rows(600);
  const auto trees = boost(table, short_recipe(), 1);
  ASSERT_TRUE(trees) << trees.error().what;
  ASSERT_TRUE(check(*trees));
  double error = 0;
  std::size_t count = 0;
  for (std::size_t row = 0; row < 600; ++row) {
    if (row % 20 == 0) continue;
    error += std::abs(trees->answer({table.inputs.data() + 3 * row, 3}) - table.answers[row]);
    ++count;
  }
  EXPECT_LT(error / static_cast<double>(count), 0.05);
}

TEST(Boosting, The_same_seed_gives_the_same_trees_and_another_others) {
  const auto table = sample_rows(200);
  const auto first = boost(table, short_recipe(), 3);
  const auto again = boost(table, short_recipe(), 3);
  const auto other = boost(table, short_recipe(), 4);
  ASSERT_TRUE(first && again && other);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
}

TEST(Boosting, The_first_tree_begins_at_the_median_and_adds_its_share) {
  const TreeTable table{.columns = 1, .inputs = {0, 1, 2, 3, 4}, .answers = {0, 0, 1, 9, 9}};
  const BoostingRecipe recipe{
      .trees = 1, .limits = {.leaves = 2, .least_rows = 2}, .rate = 0.5, .row_share = 1, .rows_in_bin = 1};
  const auto trees = boost(table, recipe, 1);
  ASSERT_TRUE(trees) << trees.error().what;
  EXPECT_EQ(trees->start, 1);
  EXPECT_EQ(trees->answer(std::vector<float>{0}), 0.5);
  EXPECT_EQ(trees->answer(std::vector<float>{4}), 5);
}

TEST(Boosting, Unusable_rows_are_refused_with_their_place) {
  EXPECT_EQ(problem_of_boosting({.columns = 2, .inputs = {}, .answers = {}}, {}), "no rows to learn from");
  EXPECT_EQ(problem_of_boosting({.columns = 2, .inputs = {1, 2, 3, NAN}, .answers = {1, 2}}, {}),
            "row 1: input 1 is not a finite number");
  EXPECT_EQ(problem_of_boosting({.columns = 1, .inputs = {1, 2}, .answers = {INFINITY, 2}}, {}),
            "row 0: the target is not a finite number");
}

TEST(Boosting, Numbers_of_the_recipe_that_make_no_sense_are_named) {
  const auto table = sample_rows(20);
  EXPECT_EQ(problem_of_boosting(table, {.trees = 0}), "the trees' number of trees is out of range");
  EXPECT_EQ(problem_of_boosting(table, {.limits = {.leaves = 1}}), "the trees' number of leaves is out of range");
  EXPECT_EQ(problem_of_boosting(table, {.rate = NAN}), "the trees' rate is out of range");
  EXPECT_EQ(problem_of_boosting(table, {.bins = 300}), "the trees' number of bins is out of range");
}

}  // namespace
}  // namespace dryfit::predictor
