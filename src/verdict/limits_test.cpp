// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace dryfit::verdict {
namespace {

using namespace literals;

TEST(Limits, A_fraction_of_four_digits_allows_at_least_the_cap) {
  constexpr Bytes kTotals[] = {12'622'168'064_B, 8'318'222'336_B, 42'474'471'424_B, 24_GiB};
  for (const auto total : kTotals) {
    for (Bytes cap = 2_MiB; cap <= total; cap += 74_MiB) {
      const auto fraction = fraction_for(cap, total);
      ASSERT_TRUE(fraction);
      const auto limit = [&](std::uint32_t of) {
        return std::trunc(std::stod(fraction_text(of)) * static_cast<double>(total.count));
      };
      EXPECT_GE(limit(*fraction), static_cast<double>(cap.count));
      EXPECT_LT(limit(*fraction - 1), static_cast<double>(cap.count));
    }
  }
}

TEST(Limits, A_cap_above_the_GPU_has_no_fraction) {
  EXPECT_EQ(fraction_for(12_GiB, 12_GiB), 10'000u);
  EXPECT_FALSE(fraction_for(12_GiB + 1_B, 12_GiB));
}

TEST(Limits, A_fraction_is_written_with_four_digits) {
  EXPECT_EQ(fraction_text(7), "0.0007");
  EXPECT_EQ(fraction_text(4787), "0.4787");
  EXPECT_EQ(fraction_text(10'000), "1.0000");
}

}  // namespace
}  // namespace dryfit::verdict
