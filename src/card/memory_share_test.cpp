// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/memory_share.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dryfit {
namespace {

using namespace literals;

constexpr Bytes kMemoryOf3060{12622168064};

Bytes amount(std::string_view text) {
  const auto share = parse_memory_share(text);
  return share ? share->of(kMemoryOf3060) : Bytes{};
}

TEST(MemoryShare, Sizes_are_read_with_binary_and_decimal_units) {
  EXPECT_EQ(amount("6GiB"), 6_GiB);
  EXPECT_EQ(amount("6g"), 6_GiB);
  EXPECT_EQ(amount("5.5 GiB"), 5632_MiB);
  EXPECT_EQ(amount("6000MB"), 6000000000_B);
  EXPECT_EQ(amount("6442450944"), 6_GiB);
  EXPECT_EQ(amount("6442450944B"), 6_GiB);
}

TEST(MemoryShare, A_share_is_a_percentage_or_a_fraction_of_the_whole_GPU) {
  EXPECT_EQ(amount("50%"), Bytes{kMemoryOf3060.count / 2});
  EXPECT_EQ(amount("0.5"), Bytes{kMemoryOf3060.count / 2});
  EXPECT_EQ(amount("100 %"), kMemoryOf3060);
  EXPECT_EQ(amount("1.0"), kMemoryOf3060);
}

TEST(MemoryShare, The_fraction_of_a_size_allows_it_to_the_byte_truncated_or_rounded) {
  for (const auto size : {6_GiB, 6_GiB + 1_B, 5642_MiB, 12622168063_B, kMemoryOf3060}) {
    const double product = MemoryShare(size).fraction_of(kMemoryOf3060) * static_cast<double>(kMemoryOf3060.count);
    EXPECT_EQ(static_cast<std::uint64_t>(product), size.count);
    EXPECT_EQ(static_cast<std::uint64_t>(std::round(product)), size.count);
  }
}

TEST(MemoryShare, What_makes_no_sense_is_refused_with_what_would) {
  EXPECT_EQ(parse_memory_share("0").error().what, "'0' leaves no memory");
  EXPECT_EQ(parse_memory_share("0%").error().what, "'0%' leaves no memory");
  EXPECT_EQ(parse_memory_share("120%").error().what, "'120%' is more than the whole GPU");
  EXPECT_EQ(parse_memory_share("1.5").error().what, "'1.5' is more than the whole GPU");
  EXPECT_EQ(parse_memory_share("8").error().what, "'8' has no unit");
  EXPECT_EQ(parse_memory_share("8").error().hint, "Write 8GiB, 8MiB or 8%.");
  for (const auto* text : {"", "GiB", "-4GiB", "6 apples", "6Gb!", "nan", "inf", "1e3%", "0x10", "99999999999TiB"}) {
    ASSERT_FALSE(parse_memory_share(text)) << text;
    EXPECT_EQ(parse_memory_share(text).error().what, "'" + std::string(text) + "' is not an amount of memory");
  }
}

TEST(MemoryShare, A_GPU_limit_leaves_the_rest_to_others) {
  const Card card{.id = "rtx-3060-12gb", .total_memory = kMemoryOf3060};
  const auto shared = limited(card, {.gpu_limit = MemoryShare(6_GiB)});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->available(), 6_GiB);
  EXPECT_EQ(shared->total_memory, kMemoryOf3060);
}

TEST(MemoryShare, A_limit_above_the_GPU_is_refused) {
  const Card card{.id = "rtx-3060-12gb", .total_memory = kMemoryOf3060};
  EXPECT_EQ(limited(card, {.cap = MemoryShare(20_GiB)}).error().what,
            "a cap of 20.00 GiB is more than rtx-3060-12gb has, 11.76 GiB");
  EXPECT_EQ(limited(card, {.gpu_limit = MemoryShare(20_GiB)}).error().what,
            "a GPU limit of 20.00 GiB is more than rtx-3060-12gb has, 11.76 GiB");
}

}  // namespace
}  // namespace dryfit
