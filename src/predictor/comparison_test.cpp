// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/comparison.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

DataSet compared_rows() {
  DataSet data{.quantity = Quantity::memory()};
  for (std::size_t i = 0; i < 8; ++i) data.examples.push_back({i, "g" + std::to_string(i / 2), 1024.0 * (i + 1), {}});
  return data;
}

/// Off by so many GiB everywhere, the last example by `last`.
Contender off_by(const std::string& name, double gib, double last) {
  Contender contender{.name = name};
  for (std::size_t i = 0; i < 8; ++i) contender.predicted.push_back(1024 * (i + 1 + (i == 7 ? last : gib)));
  return contender;
}

TEST(Comparison, Scores_are_in_the_published_unit) {
  const std::vector<Contender> contenders{off_by("B1 a", 0.5, 0.5)};
  const auto ranking = rank(compared_rows(), contenders);
  EXPECT_DOUBLE_EQ(ranking.scores[0][Metric::mae], 0.5);
  EXPECT_DOUBLE_EQ(ranking.baseline(Baseline::b1).best[Metric::mse], 0.25);
}

TEST(Comparison, Ours_is_compared_metric_by_metric_with_the_best_of_each_baseline) {
  // "a" has the smaller mean error, "b" the smaller square.
  const std::vector<Contender> contenders{off_by("ours", 0, 0), off_by("B1 a", 0.1, 3), off_by("B2 b", 0.6, 0.6)};
  const auto data = compared_rows();
  const auto ranking = rank(data, contenders);
  const auto found = differences_to_baselines(data, contenders, ranking, {.seed = 1, .draws = 50});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].name, "ours");
  EXPECT_EQ(found[1].baseline, Baseline::b2);
  EXPECT_NEAR(found[0].difference.value[Metric::mse], -(7 * 0.01 + 9) / 8, 1e-9);
  EXPECT_NEAR(found[1].difference.value[Metric::mse], -0.36, 1e-9);
  EXPECT_NEAR(found[1].difference.value[Metric::mae], -(0.7 + 3) / 8, 1e-9);
  EXPECT_FALSE(found[1].difference.interval(Metric::mse).contains(0));
}

TEST(Comparison, Without_comparators_there_is_nothing_to_be_less_than) {
  const std::vector<Contender> contenders{off_by("ours", 0, 0)};
  EXPECT_TRUE(differences_to_baselines(compared_rows(), contenders, rank(compared_rows(), contenders), {}).empty());
}

}  // namespace
}  // namespace dryfit::predictor
