// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/feature_bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace dryfit::predictor {
namespace {

using Floats = std::vector<float>;

TEST(FeatureBins, Few_values_get_a_bin_each_with_edges_between_them) {
  const auto bins = fit_bins(Floats{3, 1, 1, 7}, 1, 255, 1);
  EXPECT_EQ(bins.edges, (std::vector<Floats>{{2, 5}}));
  EXPECT_EQ(bins.bins, (std::vector<std::uint8_t>{1, 0, 0, 2}));
}

TEST(FeatureBins, Columns_are_kept_apart) {
  const auto bins = fit_bins(Floats{1, 30, 2, 10, 3, 20}, 2, 255, 1);
  EXPECT_EQ(bins.edges, (std::vector<Floats>{{1.5, 2.5}, {15, 25}}));
  EXPECT_EQ(bins.bins, (std::vector<std::uint8_t>{0, 1, 2, 2, 0, 1}));
  EXPECT_EQ(bins.column(1)[0], 2);
}

TEST(FeatureBins, Many_values_share_bins_of_about_as_many_rows) {
  Floats values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(i * i));
  const auto bins = fit_bins(values, 1, 10, 1);
  ASSERT_EQ(bins.bins_in(0), 10u);
  for (std::uint8_t bin = 0; bin < 10; ++bin) EXPECT_EQ(std::ranges::count(bins.bins, bin), 100);
}

TEST(FeatureBins, A_value_that_most_rows_have_does_not_take_the_bins_of_the_others) {
  Floats values(900, 0);
  for (int i = 1; i <= 100; ++i) values.push_back(static_cast<float>(i));
  const auto bins = fit_bins(values, 1, 11, 1);
  EXPECT_EQ(bins.bins_in(0), 11u);
  EXPECT_EQ(bins.bins[0], 0);
  EXPECT_EQ(bins.edges[0][0], 0.5);
}

TEST(FeatureBins, No_bin_has_fewer_rows_than_it_must) {
  const auto bins = fit_bins(Floats{1, 2, 3, 4, 5, 6, 7}, 1, 255, 3);
  EXPECT_EQ(bins.edges, (std::vector<Floats>{{3.5}}));
}

TEST(FeatureBins, A_column_of_one_value_is_one_bin) { EXPECT_EQ(fit_bins(Floats{4, 4, 4}, 1, 255, 1).bins_in(0), 1u); }

TEST(FeatureBins, Neighbouring_floats_are_distinguished) {
  const float above = std::nextafter(1.0f, 2.0f);
  const auto bins = fit_bins(Floats{1, above}, 1, 255, 1);
  EXPECT_EQ(bins.bins, (std::vector<std::uint8_t>{0, 1}));
}

}  // namespace
}  // namespace dryfit::predictor
