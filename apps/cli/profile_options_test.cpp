// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "profile_options.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

using Words = std::vector<std::string>;

TEST(ProfileOptions, Batches_to_shrink_to_come_in_rising_order) {
  EXPECT_EQ(parse_shrink("batch=8,4").value(), (std::vector<std::uint64_t>{4, 8}));
  EXPECT_EQ(parse_shrink("batch=2,4,6").value(), (std::vector<std::uint64_t>{2, 4, 6}));
}

TEST(ProfileOptions, One_batch_equal_batches_and_nonsense_are_refused) {
  for (const auto* text :
       {"batch=4", "batch=4,4", "batch=", "4,8", "batch=4,0", "batch=4,x", "length=4,8", "batch=4;8"}) {
    EXPECT_FALSE(parse_shrink(text)) << text;
  }
}

TEST(ProfileOptions, The_batch_takes_its_place_in_every_word) {
  EXPECT_EQ(command_for({"python", "--size={batch}x{batch}", "a"}, 12), (Words{"python", "--size=12x12", "a"}));
}

TEST(ProfileOptions, A_trace_of_a_batch_has_a_name_of_its_own) {
  EXPECT_EQ(output_for("out/trace.json.gz", 4), "out/trace.batch-4.json.gz");
  EXPECT_EQ(output_for("my.json.json", 16), "my.json.batch-16.json");
}

TEST(ProfileOptions, A_place_for_the_batch_needs_batches) {
  const TypedProfileOptions typed;
  EXPECT_FALSE(typed.parse({"python", "{batch}"}));
  EXPECT_FALSE(typed.parse({}));
  EXPECT_TRUE(typed.parse({"python", "train.py"}));
}

TEST(ProfileOptions, A_trace_is_json) {
  TypedProfileOptions typed;
  typed.output = "trace.txt";
  EXPECT_FALSE(typed.parse({"python"}));
  typed.output = "trace.json";
  EXPECT_TRUE(typed.parse({"python"}));
}

}  // namespace
}  // namespace dryfit::cli
