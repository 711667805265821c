// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/limits_report.h"

namespace dryfit::report {
namespace {

using namespace literals;
using verdict::CapPoint;
using verdict::LimitSource;

/// Found by dry runs, with a hole at 70 %.
verdict::Verdict studied_job() {
  verdict::Verdict verdict{.card = {.id = "small", .name = "Small", .total_memory = 10_GiB}, .capacity = 10_GiB};
  verdict.limits = {.to_request = 8_GiB + 512_MiB,
                    .comfortable_cap = 8_GiB,
                    .least_cap = 7_GiB + 512_MiB,
                    .source = LimitSource::dry_runs};
  const auto tried = LimitSource::dry_runs;
  verdict.caps = {.curve = {{8_GiB, true, 0, tried},
                            {7_GiB + 512_MiB, true, 2.5, tried},
                            {7_GiB, false, std::nullopt, tried},
                            {6_GiB, true, std::nullopt, LimitSource::replay},
                            {5_GiB, false, std::nullopt, LimitSource::replay}},
                  .dry_runs = 3};
  return verdict;
}

bool shows(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(LimitsText, The_limits_come_first_with_what_they_cost) {
  const auto text = limits_text(studied_job(), "python train.py", {});
  EXPECT_EQ(text.substr(0, text.find("  to request")),
            "limits of python train.py\n  on Small (10.00 GiB), by 3 dry runs with a cap\n");
  EXPECT_TRUE(shows(text, "comfortable cap  8.00 GiB  fraction 0.8000, without a retry\n")) << text;
  EXPECT_TRUE(shows(text, "least cap        7.50 GiB  fraction 0.7500, 2.5 retries a step\n")) << text;
  EXPECT_TRUE(shows(text, "A retry waits for the GPU"));
}

TEST(LimitsText, A_hole_is_shown_as_one_and_the_failure_below_all_as_what_it_is) {
  const auto text = limits_text(studied_job(), "last", {});
  EXPECT_TRUE(shows(text, "7.00 GiB      70.0 %  fails: a hole   dry run\n")) << text;
  EXPECT_TRUE(shows(text, "5.00 GiB      50.0 %  fails           by replay\n")) << text;
}

TEST(LimitsText, Each_line_to_paste_says_whether_it_enforces) {
  const auto text = limits_text(studied_job(), "last", {});
  EXPECT_TRUE(shows(text, "  enforces  torch.cuda.set_per_process_memory_fraction(0.8000)\n")) << text;
  EXPECT_TRUE(shows(text, "  enforces  export CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=8704M\n")) << text;
  EXPECT_TRUE(shows(text, "  counts    #SBATCH --gres=shard:9\n")) << text;
  EXPECT_TRUE(shows(text, "cap: 0.7500, and 8.00 GiB of the GPU.")) << text;
}

TEST(LimitsText, A_cap_that_fails_in_later_steps_is_not_the_one_to_take) {
  auto verdict = studied_job();
  verdict.caps->curve[1].retries_per_step = std::numeric_limits<double>::infinity();
  const auto text = limits_text(verdict, "last", {});
  EXPECT_TRUE(shows(text, "7.50 GiB      75.0 %  fails in later steps")) << text;
  EXPECT_TRUE(shows(text, "take 8.00 GiB")) << text;
  EXPECT_EQ(limits_json(verdict)["curve"][1]["fails_later"], true);
  EXPECT_TRUE(limits_json(verdict)["curve"][1]["retries_per_step"].is_null());
}

TEST(LimitsText, On_a_GPU_that_is_too_small_for_comfort_the_lines_have_the_least_cap) {
  auto verdict = studied_job();
  verdict.limits->to_request = 11_GiB;
  verdict.limits->comfortable_cap = 10_GiB + 512_MiB;
  const auto text = limits_text(verdict, "last", {});
  EXPECT_TRUE(shows(text, "without a retry: more than this GPU has\n")) << text;
  EXPECT_TRUE(shows(text, "torch.cuda.set_per_process_memory_fraction(0.7500)\n")) << text;
}

TEST(LimitsJson, A_study_adds_its_curve) {
  auto verdict = studied_job();
  const auto json = limits_json(verdict);
  EXPECT_EQ(json["obtained"], "dry-runs");
  EXPECT_EQ(json["curve"].size(), 5u);
  EXPECT_EQ(json["curve"][1]["retries_per_step"], 2.5);
  EXPECT_EQ(json["curve"][2]["runs"], false);
  EXPECT_TRUE(json["expandable_segments"].is_null());
  verdict.caps.reset();
  EXPECT_FALSE(limits_json(verdict).contains("curve"));
}

}  // namespace
}  // namespace dryfit::report
