// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "duration.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

using std::chrono::milliseconds;

TEST(Duration, A_plain_number_is_seconds_and_units_are_understood) {
  EXPECT_EQ(*parse_duration("90"), milliseconds(90'000));
  EXPECT_EQ(*parse_duration("0.5s"), milliseconds(500));
  EXPECT_EQ(*parse_duration("5m"), milliseconds(300'000));
  EXPECT_EQ(*parse_duration("1.5min"), milliseconds(90'000));
  EXPECT_EQ(*parse_duration("2h"), milliseconds(7'200'000));
}

TEST(Duration, Nonsense_is_refused_with_the_text_in_the_sentence) {
  for (const char* text : {"", "m", "-1", "0", "5x", "5 m", "nan", "inf", "1e9", "999999h"}) {
    const auto result = parse_duration(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().what.find(text), std::string::npos);
    EXPECT_FALSE(result.error().hint.empty());
  }
}

}  // namespace
}  // namespace dryfit::cli
