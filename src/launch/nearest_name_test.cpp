// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/nearest_name.h"

#include <gtest/gtest.h>

namespace dryfit::launch {
namespace {

TEST(NearestName, Each_kind_of_slip_counts_one) {
  EXPECT_EQ(edit_distance("python", "python"), 0U);
  EXPECT_EQ(edit_distance("pyhton", "python"), 1U);
  EXPECT_EQ(edit_distance("pythn", "python"), 1U);
  EXPECT_EQ(edit_distance("pythoon", "python"), 1U);
  EXPECT_EQ(edit_distance("pythan", "python"), 1U);
  EXPECT_EQ(edit_distance("", "python"), 6U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestName, The_nearest_candidate_wins_and_the_alphabet_breaks_ties) {
  EXPECT_EQ(nearest_name("pyhton", {"perl", "python", "python3"}), "python");
  EXPECT_EQ(nearest_name("torchru", {"torchrua", "torchrun"}), "torchrua");
}

TEST(NearestName, A_word_that_is_too_different_is_no_slip) {
  EXPECT_EQ(nearest_name("accelerate", {"ls", "python"}), "");
  EXPECT_EQ(nearest_name("ab", {"ac"}), "");
  EXPECT_EQ(nearest_name("rn", {"run", "top"}, 1), "run");
}

}  // namespace
}  // namespace dryfit::launch
