// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/distributions.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

TEST(Distributions, Quantiles_of_the_normal_distribution_are_those_of_the_tables) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(normal_quantile(0.95), 1.6448536269514722, 1e-12);
  EXPECT_NEAR(normal_quantile(0.99), 2.3263478740408408, 1e-12);
  EXPECT_NEAR(normal_quantile(0.1), -normal_quantile(0.9), 1e-12);
}

TEST(Distributions, The_tail_of_a_fair_coin_is_counted) {
  EXPECT_NEAR(binomial_tail(3, 4, 0.5), 5.0 / 16, 1e-12);
  EXPECT_NEAR(binomial_tail(4, 4, 0.5), 1.0 / 16, 1e-12);
  EXPECT_NEAR(binomial_tail(1, 20, 0.05), 0.6415140775914581, 1e-12);
}

TEST(Distributions, The_ends_of_a_tail_are_certain) {
  EXPECT_EQ(binomial_tail(0, 10, 0.3), 1);
  EXPECT_EQ(binomial_tail(11, 10, 0.3), 0);
  EXPECT_EQ(binomial_tail(1, 10, 0), 0);
  EXPECT_EQ(binomial_tail(10, 10, 1), 1);
}

}  // namespace
}  // namespace dryfit::predictor
