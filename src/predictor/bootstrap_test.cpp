// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/bootstrap.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

using Values = std::vector<double>;
using Groups = std::vector<std::size_t>;

TEST(Bootstrap, Groups_are_numbered_as_they_come) {
  EXPECT_EQ(number_groups(std::vector<std::string>{"vit", "resnet", "vit", "a"}), (Groups{0, 1, 0, 2}));
}

TEST(Bootstrap, The_same_error_everywhere_leaves_nothing_to_chance) {
  // Absolute errors 2 and 1 in every row: any draw gives a difference of 1.
  const Values truth{10, 20, 30};
  const auto difference = compare(truth, Values{12, 22, 32}, Values{9, 19, 29}, Groups{0, 1, 2}, {.seed = 7});
  EXPECT_DOUBLE_EQ(difference.value[Metric::mae], 1);
  EXPECT_DOUBLE_EQ(difference.value[Metric::mse], 3);
  EXPECT_DOUBLE_EQ(difference.interval(Metric::mae).low, 1);
  EXPECT_DOUBLE_EQ(difference.interval(Metric::mae).high, 1);
}

TEST(Bootstrap, With_two_groups_the_interval_spans_what_each_alone_gives) {
  // Group 0 alone: 4 - 0. Group 1 alone: 0 - 2. A quarter of the draws is each of them.
  const Values truth{10, 10, 20};
  const auto difference = compare(truth, Values{14, 14, 20}, Values{10, 10, 22}, Groups{0, 0, 1}, {.seed = 1});
  EXPECT_DOUBLE_EQ(difference.interval(Metric::mae).low, -2);
  EXPECT_DOUBLE_EQ(difference.interval(Metric::mae).high, 4);
  EXPECT_TRUE(difference.interval(Metric::mae).contains(difference.value[Metric::mae]));
}

TEST(Bootstrap, One_group_has_no_spread) {
  const auto difference = compare(Values{1, 2}, Values{1, 3}, Values{2, 2}, Groups{3, 3}, {.seed = 1, .draws = 10});
  EXPECT_DOUBLE_EQ(difference.interval(Metric::mape).low, difference.value[Metric::mape]);
  EXPECT_DOUBLE_EQ(difference.interval(Metric::mape).high, difference.value[Metric::mape]);
}

TEST(Bootstrap, The_same_seed_gives_the_same_interval_and_another_another) {
  const Values truth{1, 2, 3, 4, 5, 6};
  const Values first{1.5, 2, 3.1, 4.9, 5, 6.2};
  const Values second{1, 2.4, 3.3, 4, 5.8, 6};
  const Groups groups{0, 1, 2, 3, 4, 5};
  const auto low = [&](std::uint64_t seed) {
    return compare(truth, first, second, groups, {.seed = seed, .draws = 100}).interval(Metric::mse).low;
  };
  EXPECT_EQ(low(1), low(1));
  EXPECT_NE(low(1), low(2));
}

}  // namespace
}  // namespace dryfit::predictor
