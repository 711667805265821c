// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/evaluation.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

using RowNumbers = std::vector<std::size_t>;

Result<std::vector<Contender>> contenders(std::string_view text, const RowNumbers& rows) {
  const auto table = parse_table(text, "p.csv");
  EXPECT_TRUE(table) << table.error().what;
  return contenders_in(*table, rows);
}

std::string problem_of_predictions(std::string_view text) {
  const auto read = contenders(text, RowNumbers{3, 5});
  return read ? "" : read.error().what;
}

TEST(Evaluation, Predictions_are_put_in_the_order_of_the_data) {
  const auto read = contenders("row,B1 forest,ours\n5,50,51\n3,30,31\n", RowNumbers{3, 5});
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "B1 forest");
  EXPECT_EQ((*read)[1].predicted, (std::vector<double>{31, 51}));
}

TEST(Evaluation, Predictions_that_are_not_of_exactly_these_rows_are_refused) {
  EXPECT_EQ(problem_of_predictions("row,x\n3,1\n"), "row 5 has no prediction");
  EXPECT_EQ(problem_of_predictions("row,x\n3,1\n5,1\n6,1\n"), "p.csv:4: the row is not in the folds");
  EXPECT_EQ(problem_of_predictions("row,x\n3,1\n5,1\n3,1\n"), "p.csv:4: the row occurs twice");
  EXPECT_EQ(problem_of_predictions("row,x\n3,1\n5,0\n"), "p.csv:3: 'x' is not above zero");
  EXPECT_EQ(problem_of_predictions("row,x\n3,1\n5,nan\n"), "p.csv:3: 'x' is 'nan', not a finite number");
}

TEST(Evaluation, A_baseline_includes_the_comparators_up_to_it_and_never_ours) {
  const Contender ours{"BiGRU", {}};
  const Contender second{"B2 LightGBM l1", {}};
  EXPECT_FALSE(ours.is_within(Baseline::b3));
  EXPECT_FALSE(second.is_within(Baseline::b1));
  EXPECT_TRUE(second.is_within(Baseline::b2));
  EXPECT_TRUE(second.is_within(Baseline::b3));
}

TEST(Evaluation, A_baseline_is_the_best_of_its_comparators_metric_by_metric) {
  const std::vector<Contender> all{{"B1 a", {}}, {"B1 b", {}}, {"ours", {}}, {"B3 c", {}}};
  const std::vector<Scores> scores{
      {{4, 2, 1, 9, 0.9}}, {{5, 2.2, 0.8, 7, 0.8}}, {{1, 1, 0.1, 1, 1}}, {{3, 1.7, 2, 8, 0.95}}};
  const auto first = score_baseline(Baseline::b1, all, scores);
  EXPECT_EQ(first.best.values, (std::array<double, 5>{4, 2, 0.8, 7, 0.9}));
  EXPECT_EQ(first.names, (std::array<std::string, 5>{"B1 a", "B1 a", "B1 b", "B1 b", "B1 a"}));
  EXPECT_EQ(score_baseline(Baseline::b3, all, scores).best.values, (std::array<double, 5>{3, 1.7, 0.8, 7, 0.95}));
  EXPECT_EQ(score_baseline(Baseline::b1, {}, {}).names[0], "");
}

TEST(Evaluation, The_physics_base_of_an_example_is_that_of_its_fold) {
  DataSet data{.quantity = Quantity::memory()};
  data.examples = {{0, "m", 1000, {}}, {1, "m", 3000, {}}};
  data.folds = {.rows = {0, 1}, .folds = {0, 1}, .count = 2};
  data.bases = {{3000, 1}, {1, 1000}};
  const auto base = base_out_of_fold(data);
  EXPECT_EQ(base.predicted, (std::vector<double>{3000, 1000}));
  EXPECT_NEAR(score(data, base)[Metric::mae], 2000.0 / 1024, 1e-9);
}

}  // namespace
}  // namespace dryfit::predictor
