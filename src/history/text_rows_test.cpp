// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/text_rows.h"

#include <gtest/gtest.h>

#include "history/sizes.h"
#include "history/times.h"

namespace dryfit::history {
namespace {

using namespace literals;

TEST(TextRows, Fields_are_found_by_the_names_in_the_header) {
  const auto rows = parse_rows("a, b [MiB], c\r\n1, 2 MiB, x\n\na, b [MiB], c\n3, 4, y\n", ',');
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0]["b"], "2 MiB");
  EXPECT_EQ((*rows)[1]["b"], "4 MiB");
  EXPECT_EQ((*rows)[1]["c"], "y");
  EXPECT_EQ((*rows)[1].line, 5u);
  EXPECT_EQ((*rows)[1]["none"], "");
}

TEST(TextRows, Separators_inside_one_column_belong_to_it) {
  const auto rows = parse_rows("pid, process_name, used\n7, /opt/a, b --x=1,2, 5\n", ',', "process_name");
  ASSERT_TRUE(rows);
  EXPECT_EQ((*rows)[0]["process_name"], "/opt/a,b --x=1,2");
  EXPECT_EQ((*rows)[0]["used"], "5");
}

TEST(TextRows, A_line_with_other_fields_than_the_header_is_named) {
  EXPECT_NE(parse_rows("a|b\n1|2\n3\n", '|').error().what.find("line 3"), std::string::npos);
  EXPECT_NE(parse_rows("a|b\n1|2|3\n", '|').error().what.find("3 fields"), std::string::npos);
}

TEST(Sizes, Units_are_understood) {
  EXPECT_EQ(*parse_size("11GiB"), 11_GiB);
  EXPECT_EQ(*parse_size("1.5 GiB"), 1536_MiB);
  EXPECT_EQ(*parse_size("38888M"), 38888_MiB);
  EXPECT_EQ(*parse_size("256K"), 256_KiB);
  EXPECT_EQ(*parse_size("2GB"), 2'000'000'000_B);
  EXPECT_EQ(*parse_size("0"), 0_B);
  EXPECT_EQ(*parse_size("123 B"), 123_B);
}

TEST(Sizes, Nonsense_is_refused_with_the_text_in_the_sentence) {
  for (const char* text : {"", "GiB", "-1", "5 giga", "1e9", "nan", "inf", "9999999999T", "5GiBs", "5  GiB"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_NE(size.error().what.find(text), std::string::npos);
  }
}

TEST(Times, Several_forms_are_understood) {
  EXPECT_EQ(parse_time("1793612100"), 1793612100);
  EXPECT_EQ(parse_time("2026-11-02T09:35:00Z"), 1793612100);
  EXPECT_EQ(parse_time("2026-11-02 09:35:00Z"), 1793612100);
  EXPECT_EQ(time_text(1793612100), "2026-11-02T09:35:00Z");
  EXPECT_EQ(*parse_time("2026-11-02T01:00:00") - *parse_time("2026-11-02"), 3600);
}

TEST(Times, Anything_else_gives_no_time) {
  for (const char* text : {"", "Unknown", "2026-02-31", "2026-11-02T10", "yesterday", "99999999999999999999"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace dryfit::history
