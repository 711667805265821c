// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/text.h"

#include <gtest/gtest.h>

#include "trace/test_support.h"

namespace dryfit::trace {
namespace {

using namespace testing;

TEST(Text, Control_characters_are_shown_as_numbers) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  writer.name("say \"hi\"\\\x1b[31m\n\xc3\xa9");
  writer.close();
  auto reader = Reader::open(folder.file("t"));
  ASSERT_TRUE(reader);
  const auto event = reader->next();
  ASSERT_TRUE(event);
  EXPECT_EQ(to_text(*event, *reader).substr(12), R"(name id=1 text="say \"hi\"\\\x1b[31m\x0a\xc3\xa9")");
}

TEST(Text, Times_are_seconds_with_nine_digits) {
  const TemporaryFolder folder;
  Writer writer;
  ASSERT_FALSE(writer.open(folder.file("t").c_str()));
  writer.close();
  const auto reader = Reader::open(folder.file("t"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(to_text(Event{61'000'000'007, Step{2}}, *reader), "61.000000007 step completed=2");
}

TEST(Text, The_header_shows_problems_only_if_there_are_any) {
  Capture capture{.version = 1, .pid = 4242, .parent = 4241, .closed_cleanly = true};
  EXPECT_EQ(to_text(capture), "trace version=1 pid=4242 parent=4241 state=closed");
  capture.closed_cleanly = false;
  capture.incomplete = Incomplete::disk_full;
  capture.dropped = 7;
  EXPECT_EQ(to_text(capture), "trace version=1 pid=4242 parent=4241 state=open incomplete=disk_full dropped=7");
}

TEST(Text, Values_without_a_meaning_are_unknown) {
  EXPECT_EQ(to_text(Incomplete{99}), "unknown");
  EXPECT_EQ(to_text(Purpose{99}), "unknown");
  EXPECT_EQ(to_text(Purpose::physical), "physical");
}

}  // namespace
}  // namespace dryfit::trace
