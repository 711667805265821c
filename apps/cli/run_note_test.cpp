// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "run_note.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"
#include "kept_runs.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string verdict_json(const std::string& script, const std::string& verdict, const std::string& reason) {
  return R"({"command": ["python", ")" + script + R"("], "results": [{"verdict": ")" + verdict + R"(", "reason": ")" +
         reason + R"("}]})";
}

/// A cache with kept runs.
class NoteOnRun : public ::testing::Test {
 protected:
  void keep(const std::string& script, const std::string& verdict, const std::string& reason) {
    const auto run = folder_.path() / ("run-" + script);
    fs::create_directories(run);
    std::ofstream(run / "verdict.json") << verdict_json(script, verdict, reason);
    ASSERT_TRUE(kept().keep(run));
  }
  KeptRuns kept() const { return *KeptRuns::in(environment_); }
  std::string note(const std::string& run, std::chrono::seconds later = 0s) const {
    return note_on_run(run, environment_, std::chrono::system_clock::now() + later);
  }

  TemporaryFolder folder_;
  std::vector<std::string> environment_{"XDG_CACHE_HOME=" + folder_.path().string()};
};

TEST_F(NoteOnRun, It_has_the_command_and_the_age) {
  keep("my train.py", "fits", "");
  EXPECT_EQ(note("last", 11min), "this is the last run: `python 'my train.py'` (11 min ago).\n");
  EXPECT_EQ(note("last", 50h), "this is the last run: `python 'my train.py'` (2 days ago).\n");
}

TEST_F(NoteOnRun, A_run_that_has_just_ended_needs_no_note_unless_it_cannot_tell) {
  keep("a.py", "fits", "");
  EXPECT_EQ(note("last"), "");
  keep("b.py", "cannot-tell", "it used no GPU");
  EXPECT_EQ(note("last"),
            "this is the last run: `python b.py` (0 s ago). It ended in \"cannot tell\": it used no GPU.\n");
}

TEST_F(NoteOnRun, An_earlier_run_is_called_by_its_name) {
  keep("a.py", "fits", "");
  keep("b.py", "fits", "");
  EXPECT_EQ(note("last~1", 3h), "this is last~1: `python a.py` (3 h ago).\n");
}

TEST_F(NoteOnRun, A_run_that_cannot_tell_is_named_as_such) {
  keep("a.py", "cannot-tell", "the command ended with exit code 1");
  EXPECT_EQ(
      note("last", 11min),
      "this is the last run: `python a.py` (11 min ago). It ended in \"cannot tell\": the command ended with exit "
      "code 1.\n");
}

TEST_F(NoteOnRun, A_later_run_without_anything_to_show_is_mentioned_until_another_is_kept) {
  keep("a.py", "fits", "");
  kept().remember_unkept(verdict_json("b.py", "cannot-tell", "it used no GPU"));
  EXPECT_EQ(note("last", 11min),
            "the last run, `python b.py` (11 min ago), left nothing to show. It ended in \"cannot tell\": it used no "
            "GPU.\nthis is the run before it: `python a.py` (11 min ago).\n");
  keep("c.py", "fits", "");
  EXPECT_EQ(note("last", 11min), "this is the last run: `python c.py` (11 min ago).\n");
  EXPECT_FALSE(kept().find(2)) << "the note is not taken for a run";
}

TEST_F(NoteOnRun, Without_a_kept_run_the_error_says_why_there_is_none) {
  kept().remember_unkept(verdict_json("b.py", "cannot-tell", "it used no GPU"));
  EXPECT_EQ(named_run("last", environment_).error().what,
            "the last run ended in \"cannot tell\" and left nothing to show");
  EXPECT_EQ(note("last"), "");
}

TEST_F(NoteOnRun, A_run_with_a_path_and_one_that_does_not_exist_need_no_note) {
  keep("a.py", "fits", "");
  EXPECT_EQ(note((folder_.path() / "run-a.py").string()), "");
  EXPECT_EQ(note("last~7"), "");
}

}  // namespace
}  // namespace dryfit::cli
