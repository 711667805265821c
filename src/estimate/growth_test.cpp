// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/growth.h"

#include <gtest/gtest.h>

#include <vector>

namespace dryfit::estimate {
namespace {

std::optional<std::int64_t> value_at(std::uint64_t batch, std::vector<std::int64_t> values,
                                     std::vector<std::uint64_t> batches = {4, 8}) {
  const auto found = grown(values, batches, batch);
  return found ? std::optional(found->value) : std::nullopt;
}

TEST(Growth, What_is_the_same_at_all_batches_is_the_same_at_every_other) { EXPECT_EQ(value_at(256, {100, 100}), 100); }

TEST(Growth, What_doubles_with_the_batch_grows_in_proportion) {
  EXPECT_EQ(value_at(256, {48, 96}), 48 * 64);
  EXPECT_EQ(value_at(5, {48, 96}), 60);
  EXPECT_EQ(value_at(1, {48, 96}), 12);
}

TEST(Growth, Two_batches_prove_no_sum_of_both) {
  EXPECT_EQ(value_at(256, {104, 108}), std::nullopt);
  EXPECT_EQ(value_at(16, {104, 108, 112}, {4, 8, 12}), 116);
}

TEST(Growth, The_square_of_the_batch_is_refused) {
  EXPECT_EQ(value_at(16, {16, 64}), std::nullopt);
  EXPECT_EQ(value_at(16, {16, 64, 144}, {4, 8, 12}), std::nullopt);
}

TEST(Growth, A_third_batch_that_disagrees_refuses_what_two_allow) {
  EXPECT_EQ(value_at(16, {4, 8, 13}, {4, 8, 12}), std::nullopt);
  EXPECT_EQ(value_at(16, {100, 100, 101}, {4, 8, 12}), std::nullopt);
}

TEST(Growth, A_number_that_would_not_be_whole_is_refused) {
  EXPECT_EQ(value_at(6, {2, 4}), 3);
  EXPECT_EQ(value_at(5, {2, 4}), std::nullopt);
}

TEST(Growth, What_shrinks_below_nothing_is_refused) {
  EXPECT_EQ(value_at(12, {30, 20, 10}, {4, 8, 12}), 10);
  EXPECT_EQ(value_at(20, {30, 20, 10}, {4, 8, 12}), std::nullopt);
}

TEST(Growth, Large_numbers_do_not_overflow) {
  const std::int64_t terabyte = std::int64_t{1} << 40;
  EXPECT_EQ(value_at(4'000'000, {terabyte, 2 * terabyte}), terabyte * 1'000'000);
  EXPECT_EQ(value_at(1ull << 62, {terabyte, 2 * terabyte}), std::nullopt);
}

}  // namespace
}  // namespace dryfit::estimate
