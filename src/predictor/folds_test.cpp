// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/folds.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

using Places = std::vector<std::size_t>;

Result<Folds> folds_in(std::string_view text, std::size_t data_rows = 10) {
  const auto table = parse_table(text, "folds.csv");
  EXPECT_TRUE(table);
  return folds_of(*table, "model5_s0", data_rows);
}

std::string problem_of_folds(std::string_view text) {
  const auto folds = folds_in(text);
  return folds ? "" : folds.error().what;
}

TEST(Folds, A_fold_is_tested_on_its_rows_and_trained_on_all_other_listed_ones) {
  const auto folds = folds_in("row,model5_s0,other\n0,1,0\n3,0,0\n4,1,0\n9,2,0\n");
  ASSERT_TRUE(folds) << folds.error().what;
  EXPECT_EQ(folds->count, 3u);
  EXPECT_EQ(folds->rows, (Places{0, 3, 4, 9}));
  EXPECT_EQ(folds->tested_in(1), (Places{0, 2}));
  EXPECT_EQ(folds->trained_in(1), (Places{1, 3}));
}

TEST(Folds, A_row_that_the_data_does_not_have_is_refused) {
  EXPECT_EQ(problem_of_folds("row,model5_s0\n0,0\n10,1\n"), "folds.csv:3: 'row' is not a whole number from 0 to 9");
  EXPECT_EQ(problem_of_folds("row,model5_s0\n-1,0\n"), "folds.csv:2: 'row' is not a whole number from 0 to 9");
  EXPECT_EQ(problem_of_folds("row,model5_s0\n0.5,0\n"), "folds.csv:2: 'row' is not a whole number from 0 to 9");
}

TEST(Folds, A_row_listed_twice_is_refused) {
  EXPECT_EQ(problem_of_folds("row,model5_s0\n2,0\n2,1\n"), "folds.csv:3: row 2 does not come after the row before it");
}

TEST(Folds, Gaps_and_a_single_fold_are_refused) {
  EXPECT_EQ(problem_of_folds("row,model5_s0\n1,0\n2,2\n"), "the folds 'model5_s0' have no row in fold 1");
  EXPECT_EQ(problem_of_folds("row,model5_s0\n1,0\n2,0\n"), "the folds 'model5_s0': fewer than two");
  EXPECT_EQ(problem_of_folds("row,model5_s0\n"), "the folds 'model5_s0': fewer than two");
}

TEST(Folds, Only_rows_that_are_known_are_kept_and_no_fold_may_be_left_empty) {
  const auto folds = folds_in("row,model5_s0\n0,1\n3,0\n4,1\n");
  ASSERT_TRUE(folds) << folds.error().what;
  const auto kept = among(*folds, Places{3, 4, 8});
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_EQ(kept->rows, (Places{3, 4}));
  EXPECT_EQ(kept->folds, (Places{0, 1}));
  EXPECT_EQ(among(*folds, Places{0, 4}).error().what, "fold 0 has no row with features");
}

TEST(Folds, An_unknown_protocol_is_refused) {
  EXPECT_EQ(problem_of_folds("row,random5\n1,0\n"), "folds.csv: no column 'model5_s0'");
}

}  // namespace
}  // namespace dryfit::predictor
