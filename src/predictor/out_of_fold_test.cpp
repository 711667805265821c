// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/out_of_fold.h"

#include <gtest/gtest.h>

#include "predictor/data_set_testing.h"

namespace dryfit::predictor {
namespace {

using testing::ignore;
using testing::sample_set;

/// Says a thousand times the seed and, for each example, its row.
Result<std::vector<double>> echo(const DataSet& data, std::size_t fold, std::uint64_t seed) {
  std::vector<double> predicted;
  for (const auto place : data.folds.tested_in(fold)) {
    predicted.push_back(static_cast<double>(1000 * seed + data.examples[place].row));
  }
  return predicted;
}

TEST(OutOfFold, Each_prediction_is_at_the_place_of_its_example_and_comes_from_its_folds_seed) {
  const auto data = sample_set(6);
  const auto contender = predict_out_of_fold(data, echo, "echo", 2, ignore);
  ASSERT_TRUE(contender);
  EXPECT_EQ(contender->name, "echo seed 2");
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(contender->predicted[i], static_cast<double>(1000 * (2000 + i % 3) + 10 + i));
  }
}

TEST(OutOfFold, A_blend_is_the_geometric_mean) {
  const std::vector<Contender> contenders{{"net", {100, 7}}, {"trees", {400, 7}}};
  const auto blend = blend_of("both", contenders);
  EXPECT_EQ(blend.name, "both");
  EXPECT_NEAR(blend.predicted[0], 200, 1e-9);
  EXPECT_NEAR(blend.predicted[1], 7, 1e-9);
}

TEST(OutOfFold, The_fold_that_failed_is_named) {
  const Learner learner = [](const DataSet&, std::size_t, std::uint64_t) -> Result<std::vector<double>> {
    return Error{"no luck", ""};
  };
  const auto contender = predict_out_of_fold(sample_set(6), learner, "net", 0, ignore);
  EXPECT_EQ(contender.error().what, "fold 1 of 3: no luck");
}

TEST(OutOfFold, The_table_is_one_that_can_be_scored) {
  const std::vector<std::size_t> rows{4, 9};
  const std::vector<Contender> contenders{{"net seed 0", {1234.5, 10}}, {"net seed 1", {2000, 20.25}}};
  const auto text = predictions_table(rows, contenders);
  EXPECT_EQ(text, "row,net seed 0,net seed 1\n4,1234.5,2000\n9,10,20.25\n");
  const auto table = parse_table(text, "p.csv");
  ASSERT_TRUE(table);
  const auto read = contenders_in(*table, rows);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ((*read)[1].predicted, contenders[1].predicted);
}

}  // namespace
}  // namespace dryfit::predictor
