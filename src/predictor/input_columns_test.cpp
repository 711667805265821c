// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/input_columns.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace dryfit::predictor {
namespace {

constexpr std::array<InputColumn, 3> kColumns{{{"a"}, {"b", Scale::log1p}, {"c", Scale::as_is}}};

Result<std::vector<std::vector<double>>> inputs(std::string_view text) {
  const auto table = parse_table(text, "t.csv");
  EXPECT_TRUE(table) << table.error().what;
  return inputs_in(*table, kColumns);
}

TEST(InputColumns, Each_column_is_scaled_as_it_says_and_named_so) {
  const auto rows = inputs("c,b,a\n-5,0,2\n7,3,4\n");
  ASSERT_TRUE(rows) << rows.error().what;
  EXPECT_EQ((*rows)[0], (std::vector<double>{std::log(2), 0, -5}));
  EXPECT_EQ((*rows)[1], (std::vector<double>{std::log(4), std::log1p(3), 7}));
  EXPECT_EQ(names_of(kColumns), (std::vector<std::string>{"log a", "log1p b", "c"}));
}

TEST(InputColumns, A_number_that_has_no_logarithm_is_refused_with_its_line) {
  EXPECT_EQ(inputs("a,b,c\n1,1,1\n0,1,1\n").error().what, "t.csv:3: 'a' is not above zero");
  EXPECT_EQ(inputs("a,b,c\n1,-1,1\n").error().what, "t.csv:2: 'b' is below zero");
}

TEST(InputColumns, Amounts_are_above_zero) {
  const auto table = parse_table("a\n1\n0\n", "t.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(positive_numbers(*table, "a").error().what, "t.csv:3: 'a' is not above zero");
}

}  // namespace
}  // namespace dryfit::predictor
