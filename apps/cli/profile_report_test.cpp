// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "profile_report.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "work_folder.h"

namespace dryfit::cli {
namespace {

using Kind = launch::Ending::Kind;

constexpr const char* kTwoSteps =
    R"({"what": "note", "seconds": 0.0, "key": "software.torch", "text": "2.6.0+cpu"}
{"what": "step", "seconds": 2.0, "completed": 1}
{"what": "step", "seconds": 4.0, "completed": 2}
)";

/// A run that has ended, with what its process 12 left.
class ProfileReport : public ::testing::Test {
 protected:
  launch::JobResult ended(Kind kind, int code, const char* log = kTwoSteps, bool trace = true) {
    launch::JobResult result{.ending = {kind, code}, .wall = std::chrono::seconds(5), .host_peak_rss = {3ull << 30}};
    if (log) {
      result.hook_logs.push_back(folder_.path() / "hooks-12.jsonl");
      std::ofstream(result.hook_logs.back()) << log;
    }
    if (trace) result.profiles.push_back(folder_.path() / "trace-12.json");
    return result;
  }

  std::string why(const launch::JobResult& result) { return profiled(result).error().what; }

  WorkFolder folder_ = WorkFolder::temporary().value();
};

TEST_F(ProfileReport, A_run_that_completed_its_steps_has_a_trace) {
  const auto run = profiled(ended(Kind::steps_done, 0));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->log.steps, 2u);
  EXPECT_FALSE(run->failed());
  const std::vector<WrittenTrace> traces{{"trace.json.gz", {2048}, {9000}, {}, *run}};
  EXPECT_EQ(text_of(traces),
            "trace.json.gz (2.0 KiB): 2 steps on the CPU in 5 s, with PyTorch 2.6.0+cpu\n"
            "next: dryfit estimate trace.json.gz --gpu rtx-4090\n");
  const auto json = nlohmann::json::parse(json_of(traces, {"python", "train.py"}));
  EXPECT_EQ(json["traces"][0]["steps"], 2);
  EXPECT_EQ(json["traces"][0]["ended"], "steps");
  EXPECT_EQ(json["command"][1], "train.py");
}

TEST_F(ProfileReport, Every_other_ending_has_a_sentence_of_its_own) {
  EXPECT_EQ(profiled(std::nullopt).error().what, "interrupted");
  EXPECT_EQ(why(ended(Kind::interrupted, SIGINT)), "interrupted after 2 steps");
  EXPECT_NE(why(ended(Kind::timed_out, 0)).find("the time limit ended the program after 2 steps"), std::string::npos);
  EXPECT_NE(why(ended(Kind::signalled, SIGKILL)).find("while using 3.00 GiB of this machine's memory"),
            std::string::npos);
  EXPECT_EQ(why(ended(Kind::signalled, SIGSEGV)), "signal 11 ended the program after 2 steps");
  EXPECT_EQ(why(ended(Kind::exited, 1, "")), "the program failed with code 1 before its first optimizer step");
  EXPECT_EQ(why(ended(Kind::exited, 0, "")), "the program ended without running an optimizer step");
  EXPECT_EQ(
      why(ended(Kind::exited, 1, R"({"what": "note", "seconds": 0, "key": "hooks.error", "text": "install: x"})")),
      "Dryfit's hooks failed in the program, which then ran no optimizer step: install: x");
  EXPECT_EQ(why(ended(Kind::exited, 0, nullptr)), "no Python process imported PyTorch");
  EXPECT_EQ(why(ended(Kind::steps_done, 0, kTwoSteps, false)), "PyTorch's profiler wrote no trace");
}

TEST_F(ProfileReport, A_program_that_fails_after_some_steps_keeps_its_trace_and_says_so) {
  const auto run = profiled(ended(Kind::exited, 3));
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->failed());
  EXPECT_NE(text_of({{"t.json.gz", {1}, {1}, {}, *run}}).find("failed with code 3"), std::string::npos);
}

TEST_F(ProfileReport, Shrunk_traces_are_estimated_together_at_the_batch_of_the_program) {
  auto run = profiled(ended(Kind::steps_done, 0)).value();
  run.log.full_batch = 256;
  const auto text = text_of({{"a.json.gz", {1}, {1}, 4, run}, {"b.json.gz", {1}, {1}, 8, run}});
  EXPECT_NE(text.find("2 steps at batch 8 on the CPU"), std::string::npos);
  EXPECT_NE(text.find("next: dryfit estimate a.json.gz b.json.gz --batch 256 --gpu"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
