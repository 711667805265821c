// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

using Words = std::vector<std::string>;

Arguments split(std::vector<const char*> words) {
  words.insert(words.begin(), "dryfit");
  return split_arguments(static_cast<int>(words.size()), words.data());
}

TEST(Arguments, Everything_after_the_dashes_belongs_to_the_command) {
  const auto arguments = split({"run", "--gpu", "3060", "--", "python", "train.py", "--gpu", "7"});
  EXPECT_EQ(arguments.ours, (Words{"run", "--gpu", "3060"}));
  EXPECT_EQ(joined_command({}, arguments), (Words{"python", "train.py", "--gpu", "7"}));
}

TEST(Arguments, Dashes_inside_a_command_are_its_own) {
  const auto arguments = split({"run", "--gpu", "3060", "accelerate", "launch", "--", "--lr", "1"});
  EXPECT_EQ(joined_command({"accelerate", "launch"}, arguments), (Words{"accelerate", "launch", "--", "--lr", "1"}));
  EXPECT_EQ(joined_command({}, split({"run", "--", "a", "--", "b"})), (Words{"a", "--", "b"}));
}

TEST(Arguments, Without_dashes_nothing_is_added) {
  const auto arguments = split({"run", "--gpu", "3060", "python", "train.py"});
  EXPECT_FALSE(arguments.dashes);
  EXPECT_EQ(joined_command({"python", "train.py"}, arguments), (Words{"python", "train.py"}));
}

TEST(Arguments, An_empty_command_line_is_empty) {
  EXPECT_TRUE(split_arguments(0, nullptr).ours.empty());
  EXPECT_TRUE(split({}).ours.empty());
}

}  // namespace
}  // namespace dryfit::cli
