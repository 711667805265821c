// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "typed_line.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

const TypedLine& typed_run() {
  static const TypedLine line({"run", "--gpu=a100,foo", "--steps", "5", "--", "python", "my train.py", "--gpu", "foo"});
  return line;
}

TEST(TypedLine, It_reads_as_a_shell_would_take_it) {
  EXPECT_EQ(typed_run().text(), "dryfit run --gpu=a100,foo --steps 5 -- python 'my train.py' --gpu foo");
  EXPECT_EQ(TypedLine({}).text(), "dryfit");
}

TEST(TypedLine, A_word_is_replaced_in_a_list_and_not_in_the_command) {
  EXPECT_EQ(typed_run().with("foo", "t4").text(),
            "dryfit run --gpu=a100,t4 --steps 5 -- python 'my train.py' --gpu foo");
  EXPECT_EQ(typed_run().with("a10", "t4").words(), typed_run().words()) << "only whole parts";
  EXPECT_EQ(typed_run().with("python", "t4").words(), typed_run().words());
}

TEST(TypedLine, A_word_of_the_command_is_replaced) {
  EXPECT_EQ(typed_run().with_in_command("python", "python3").words()[5], "python3");
  EXPECT_EQ(TypedLine({"run", "pyton", "x.py"}).with_in_command("pyton", "python").text(), "dryfit run python x.py");
}

TEST(TypedLine, Options_come_after_the_name_of_the_command) {
  EXPECT_EQ(TypedLine({"predict", "--batch", "8"}).with_options({"--gpu", "t4"}).text(),
            "dryfit predict --gpu t4 --batch 8");
}

TEST(TypedLine, An_option_goes_to_the_end_of_the_command) {
  EXPECT_EQ(TypedLine({"run", "--lr", "1", "--", "x"}).with_option_in_command("--lr")->text(),
            "dryfit run -- x --lr 1");
  EXPECT_EQ(TypedLine({"run", "--lr=1", "--", "x"}).with_option_in_command("--lr")->text(), "dryfit run -- x --lr=1");
  EXPECT_FALSE(TypedLine({"run", "--lr", "1", "x"}).with_option_in_command("--lr")) << "no command after --";
}

TEST(TypedLine, An_option_is_replaced_with_its_value) {
  EXPECT_EQ(typed_run().value_of("--steps"), "5");
  EXPECT_EQ(typed_run().value_of("--gpu"), "a100,foo");
  EXPECT_EQ(typed_run().value_of("--count"), std::nullopt);
  EXPECT_EQ(typed_run().with_option_replaced("--steps", {}).text(),
            "dryfit run --gpu=a100,foo -- python 'my train.py' --gpu foo");
  const TypedLine flag({"run", "--gpu", "--", "python"});
  EXPECT_EQ(flag.with_option_replaced("--gpu", {"--gpu", "t4"}).text(), "dryfit run --gpu t4 -- python");
}

}  // namespace
}  // namespace dryfit::cli
