// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/writes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dryfit::report {
namespace {

using launch::Writes;

Style plain_writes_style() { return {.columns = 200}; }

std::string note_of(const Writes& writes) { return writes_note(writes, plain_writes_style()); }

TEST(WritesNote, Nothing_is_said_where_nothing_was_written_or_it_was_kept) {
  EXPECT_EQ(note_of({.held_back = true}), "");
  EXPECT_EQ(writes_note(std::nullopt, plain_writes_style()), "");
  EXPECT_TRUE(writes_json(std::nullopt).is_null());
}

TEST(WritesNote, Files_are_counted_and_the_largest_is_named) {
  EXPECT_EQ(
      note_of({.held_back = true, .files = 3, .bytes = {3 << 20}, .largest = {2 << 20}, .largest_file = "/a/b.pt"}),
      "  note: discarded the 3 files that the program wrote (3.0 MiB), the largest /a/b.pt (2.0 MiB) "
      "(--keep-writes keeps what is written)\n");
  EXPECT_EQ(note_of({.held_back = true, .files = 1, .removed = 2, .bytes = {5}, .largest = {5}, .largest_file = "/a"}),
            "  note: discarded the file that the program wrote: /a (5 B); put back 2 that it deleted or renamed "
            "(--keep-writes keeps what "
            "is written)\n");
}

TEST(WritesNote, A_name_cannot_pass_for_a_line_of_the_report) {
  const Writes writes{.held_back = true, .files = 1, .largest_file = "/a\n\x1b[31mfits"};
  EXPECT_NE(note_of(writes).find("/a??[31mfits"), std::string::npos);
}

TEST(WritesNote, Trackers_that_ran_offline_and_refused_folders_are_named) {
  EXPECT_EQ(note_of({.held_back = true, .refused = {"/x", "/y"}, .trackers = {"W&B"}}),
            "  note: kept W&B offline (--keep-writes keeps what is written)\n"
            "  note: the program could not write to /x, /y: nothing could hold its changes\n");
}

TEST(WritesNote, Files_that_were_not_protected_are_a_warning) {
  const Writes writes{.why_not = "a user namespace was refused (Operation not permitted)"};
  EXPECT_NE(note_of(writes).find("Writes were not held back, because a user namespace was refused"), std::string::npos);
  const auto json = writes_json(writes);
  EXPECT_EQ(json["held_back"], false);
  EXPECT_EQ(json["reason"], writes.why_not);
  EXPECT_TRUE(json["files"].is_null());
}

}  // namespace
}  // namespace dryfit::report
