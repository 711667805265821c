// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/piecewise.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

using Values = std::vector<float>;

TEST(Piecewise, A_value_fills_the_bins_below_it_and_part_of_its_own) {
  const auto piecewise = fit_piecewise(Values{0, 4, 8}, 1, 2);
  EXPECT_EQ(piecewise.edges, (Values{0, 4, 8}));
  EXPECT_EQ(piecewise.apply(Values{5}), (Values{1, 0.25, 5}));
}

TEST(Piecewise, Beyond_the_training_rows_only_the_value_itself_goes_on) {
  const auto piecewise = fit_piecewise(Values{0, 4, 8}, 1, 2);
  EXPECT_EQ(piecewise.apply(Values{100}), (Values{1, 1, 100}));
  EXPECT_EQ(piecewise.apply(Values{-1}), (Values{0, 0, -1}));
}

TEST(Piecewise, Each_feature_has_bins_of_its_own) {
  const auto piecewise = fit_piecewise(Values{0, 10, 2, 30}, 2, 1);
  EXPECT_EQ(piecewise.features(), 2u);
  EXPECT_EQ(piecewise.apply(Values{1, 15}), (Values{0.5, 1, 0.25, 15}));
}

TEST(Piecewise, A_feature_that_is_always_the_same_is_a_step) {
  const auto piecewise = fit_piecewise(Values{3, 3}, 1, 2);
  EXPECT_EQ(piecewise.apply(Values{2}), (Values{0, 0, 2}));
  EXPECT_EQ(piecewise.apply(Values{3}), (Values{1, 1, 3}));
}

}  // namespace
}  // namespace dryfit::predictor
