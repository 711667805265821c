// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/table.h"

#include <gtest/gtest.h>

namespace dryfit::predictor {
namespace {

Table table_of(std::string_view text) {
  auto table = parse_table(text, "t.csv");
  EXPECT_TRUE(table) << table.error().what;
  return table ? std::move(table).value() : Table{};
}

std::string problem_of(std::string_view text) {
  const auto table = parse_table(text, "t.csv");
  return table ? "" : table.error().what;
}

TEST(Table, A_column_is_read_as_numbers_or_as_texts) {
  const auto table = table_of("model,batch\nvit,8\nresnet,1.6e1\n");
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(*table.texts("model"), (std::vector<std::string>{"vit", "resnet"}));
  EXPECT_EQ(*table.numbers("batch"), (std::vector<double>{8, 16}));
}

TEST(Table, Quoted_fields_hold_commas_quotes_and_line_ends) {
  const auto table = table_of("a,b\r\n\"x, \"\"y\"\"\nz\",1\r\n\r\nw,2");
  EXPECT_EQ(*table.texts("a"), (std::vector<std::string>{"x, \"y\"\nz", "w"}));
  EXPECT_EQ(table.place(0), "t.csv:2");
  EXPECT_EQ(table.place(1), "t.csv:5");
}

TEST(Table, A_missing_column_is_named_beside_those_that_are_there) {
  const auto table = table_of("a,b\n1,2\n");
  EXPECT_FALSE(table.has("c"));
  const auto numbers = table.numbers("c");
  ASSERT_FALSE(numbers);
  EXPECT_EQ(numbers.error().what, "t.csv: no column 'c'");
  EXPECT_EQ(numbers.error().hint, "Its columns are: a, b.");
}

TEST(Table, A_field_that_is_not_a_finite_number_is_refused_with_its_line) {
  for (const std::string bad : {"", "nan", "inf", "-inf", "12 GB", "1e999", "0x10", " 1"}) {
    const auto table = table_of("a,b\n1,1\n1," + bad + "\n");
    const auto numbers = table.numbers("b");
    ASSERT_FALSE(numbers) << bad;
    EXPECT_EQ(numbers.error().what, "t.csv:3: 'b' is '" + bad + "', not a finite number");
  }
}

TEST(Table, A_row_of_another_length_than_the_header_is_refused) {
  EXPECT_EQ(problem_of("a,b\n1,2\n3\n"), "t.csv:3: 1 fields where the header names 2");
  EXPECT_EQ(problem_of("a,b\n1,2,3\n"), "t.csv:2: 3 fields where the header names 2");
}

TEST(Table, A_header_without_names_or_with_one_twice_is_refused) {
  EXPECT_EQ(problem_of(""), "t.csv: the table is empty");
  EXPECT_EQ(problem_of("a,,b\n"), "t.csv:1: a column has no name");
  EXPECT_EQ(problem_of("a,b,a\n"), "t.csv:1: the column 'a' occurs twice");
}

TEST(Table, A_quote_that_is_not_closed_is_refused) {
  EXPECT_EQ(problem_of("a\n1\n\"2\n3\n"), "t.csv:3: a quote is opened in this row and never closed");
  EXPECT_EQ(problem_of("\"a\n"), "t.csv:1: a quote is opened in this row and never closed");
}

TEST(Table, A_missing_file_is_an_error) {
  const auto table = read_table("/nonexistent/t.csv");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().what, "/nonexistent/t.csv: cannot be opened");
}

}  // namespace
}  // namespace dryfit::predictor
