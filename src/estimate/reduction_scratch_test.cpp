// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/reduction_scratch.h"

#include <gtest/gtest.h>

namespace dryfit::estimate {
namespace {

/// On an RTX 3060.
std::uint64_t partial(const Reduction& reduction) { return reduction_scratch(reduction, 28, 1536).partial.count; }

// As PyTorch 2.6.0 asked the stand-in driver for it.
TEST(ReductionScratch, Gradients_of_biases_have_what_PyTorch_asks_for) {
  EXPECT_EQ(partial({.dims = {2048, 256}, .over = {0}}), 4194304u);
  EXPECT_EQ(partial({.dims = {2048, 768}, .over = {0}}), 12582912u);
  EXPECT_EQ(partial({.dims = {2048, 1024}, .over = {0}}), 16777216u);
  EXPECT_EQ(reduction_scratch({.dims = {2048, 256}, .over = {0}}, 28, 1536).semaphores.count, 8u);
}

TEST(ReductionScratch, Short_sums_and_many_outputs_need_none) {
  EXPECT_EQ(partial({.dims = {64, 1000}, .over = {0}}), 0u);
  EXPECT_EQ(partial({.dims = {4096, 1 << 20}, .over = {0}}), 0u);
  EXPECT_EQ(partial({.dims = {8, 128, 256}, .over = {-1}}), 0u);
}

TEST(ReductionScratch, A_sum_of_everything_has_a_number_for_each_block) {
  const auto bytes = partial({.dims = {1024, 1024}});
  EXPECT_GT(bytes, 0u);
  EXPECT_LE(bytes, 4u * 28 * 1536);
}

TEST(ReductionScratch, What_makes_no_sense_needs_none) {
  EXPECT_EQ(partial({.dims = {0, 3}}), 0u);
  EXPECT_EQ(partial({.dims = {-5}}), 0u);
  EXPECT_EQ(partial({.dims = {INT64_MAX, INT64_MAX}}), 0u);
  EXPECT_EQ(partial({.dims = {4, 4}, .over = {7, -9}}), 0u);
  EXPECT_EQ(reduction_scratch({.dims = {2048, 256}, .over = {0}}, 0, 0).partial.count, 0u);
  (void)partial({.dims = {3, 5, 7}, .strides = {INT64_MAX, INT64_MIN, 0}, .over = {1}});
}

}  // namespace
}  // namespace dryfit::estimate
