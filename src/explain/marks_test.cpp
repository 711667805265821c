// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/marks.h"

#include <gtest/gtest.h>

#include <string>

namespace dryfit::explain {
namespace {

const std::string kMarks = R"({"version":1,"end":[10,3],"names":["","Net.fc","weight","float32 [4]","train.py","main"],
 "calls":{"at":[[2,4],[0,0]],"what":[[1,0],[7,0],[64,0]]},
 "phases":{"at":[[0,5],[0,1]],"what":[[0,2],[0,1],[0,4],[0,12],[0,5]]},
 "outputs":{"at":[[4],[0]],"what":[[0],[4096],[3]]},
 "seen":{"at":[[3],[0]],"what":[[0]]},
 "sets":[[[0,0,1024,16,1,2,3],[2,1,2048,16,1,2,3]]],
 "casts":[[1,8,2]],"operators":[["train.py",7,"linear"]],"workspaces":[8519680]})";

TEST(Marks, All_kinds_are_read) {
  const auto marks = parse_marks(kMarks, 0);
  ASSERT_TRUE(marks) << marks.error().what;
  EXPECT_EQ(marks->end, 10u);
  ASSERT_EQ(marks->calls.size(), 2u);
  EXPECT_EQ(marks->names[marks->calls[0].module], "Net.fc");
  EXPECT_TRUE(marks->calls[0].entered && marks->calls[0].with_grad && marks->calls[0].with_autocast);
  EXPECT_EQ(marks->calls[0].cast, Bytes{64});
  EXPECT_FALSE(marks->calls[1].entered);
  ASSERT_EQ(marks->phases.size(), 2u);
  EXPECT_EQ(marks->phases[1].phase, Phase::backward);
  EXPECT_EQ(marks->phases[1].line, 12u);
  ASSERT_EQ(marks->seen.size(), 1u);
  ASSERT_EQ(marks->sets[0].size(), 1u) << "what lies on another device is another's";
  EXPECT_EQ(marks->sets[0][0].address, 1024u);
  EXPECT_EQ(marks->casts.begin()->second, (std::vector<Bytes>{{8}, {2}}));
  EXPECT_EQ(marks->operators.at({"train.py", 7}), "linear");
}

TEST(Marks, Each_device_has_its_own_counts) {
  const auto marks = parse_marks(kMarks, 1);
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->end, 3u);
  EXPECT_EQ(marks->sets[0][0].role, Role::gradient);
  EXPECT_TRUE(marks->outputs.empty());
}

TEST(Marks, A_newer_version_is_refused_and_both_are_named) {
  const auto marks = parse_marks(R"({"version":2})", 0);
  ASSERT_FALSE(marks);
  EXPECT_NE(marks.error().what.find("version 2"), std::string::npos);
  EXPECT_NE(marks.error().what.find("version 1"), std::string::npos);
}

TEST(Marks, Anything_but_marks_is_an_error) {
  EXPECT_FALSE(parse_marks("{}", 0));
  EXPECT_FALSE(parse_marks("not json", 0));
  EXPECT_FALSE(parse_marks(kMarks.substr(0, kMarks.size() / 2), 0));
  EXPECT_FALSE(parse_marks(kMarks, 2)) << "a device that was not counted";
}

TEST(Marks, An_invalid_name_is_empty) {
  auto text = kMarks;
  text.replace(text.find("[[1,0],[7,0]"), 3, "[[99");
  const auto marks = parse_marks(text, 0);
  ASSERT_TRUE(marks) << marks.error().what;
  EXPECT_EQ(marks->calls[0].module, 0u);
}

}  // namespace
}  // namespace dryfit::explain
