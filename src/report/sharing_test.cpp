// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/terminal_parts.h"

namespace dryfit::report {
namespace {

using namespace literals;
using verdict::Answer;
using verdict::Verdict;

/// The second of two processes has failed on a GPU of 8 GiB.
Verdict second_of_two_failed() {
  const analysis::Holder first{41, "python a.py", 5_GiB}, second{42, "python b.py", 2_GiB};
  Verdict verdict;
  verdict.card.id = "rtx-4060-8gb";
  verdict.answer = Answer::does_not_fit;
  verdict.capacity = 8_GiB;
  verdict.device_used = true;
  verdict.device_peak = 7_GiB;
  verdict.oom = analysis::FailedRequest{2_GiB, 1_GiB, {1, "forward"}, {first}};
  verdict.sharing =
      verdict::Sharing{.processes = 2, .at_peak = {first, second}, .coinciding_peak = 9_GiB, .failed = second};
  return verdict;
}

nlohmann::json result_of(const Verdict& verdict) {
  return nlohmann::json::parse(json_text("0.2.0", {"sh"}, std::vector{verdict}, {}, {})).at("results").at(0);
}

TEST(SharedGpuReport, The_terminal_names_who_failed_and_lists_who_held_what) {
  const auto text = one_gpu_text(second_of_two_failed(), {.columns = 200}, {});
  EXPECT_NE(
      text.find("PyTorch failed to allocate 2.00 GiB in step 1, forward, in process 42 (python b.py), while process "
                "41 (python a.py) held 5.00 GiB; 1.00 GiB of 8.00 GiB were free."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  2 processes used this GPU; at the peak:\n"
                      "    process 41  5.00 GiB  python a.py\n"
                      "    process 42  2.00 GiB  python b.py\n"),
            std::string::npos)
      << text;
}

TEST(SharedGpuReport, The_JSON_has_the_processes_and_only_where_there_are_several) {
  auto verdict = second_of_two_failed();
  const auto sharing = result_of(verdict).at("sharing");
  EXPECT_EQ(sharing.at("processes"), 2);
  EXPECT_EQ(sharing.at("at_peak").at(0).at("command"), "python a.py");
  EXPECT_EQ(sharing.at("failed").at("pid"), 42);
  EXPECT_EQ(sharing.at("others").at(0).at("held_bytes"), (5_GiB).count);
  verdict.sharing.reset();
  EXPECT_FALSE(result_of(verdict).contains("sharing"));
}

}  // namespace
}  // namespace dryfit::report
