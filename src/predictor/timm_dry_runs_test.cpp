// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/timm_dry_runs.h"

#include <gtest/gtest.h>

#include <sstream>

namespace dryfit::predictor {
namespace {

struct Row {
  std::string model = "resnet50";
  int batch = 8;
  int reserved_mib = 1000;
  std::string optimizer = "sgd";
  std::string precision = "fp32";
  std::string verdict = "fits";
};

std::string text_of(const Row& row) {
  std::ostringstream text;
  text << R"({"key":"k","job":{"source":"timm","model":")" << row.model << R"(","batch":)" << row.batch
       << R"(,"size":0,"optimizer":")" << row.optimizer << R"(","precision":")" << row.precision
       << R"(","checkpointing":false,"card":"a100-80gb"},"software":{"torch":"2.6.0"},"verdict":")" << row.verdict
       << R"(","torch":{"peak_reserved_bytes":)" << row.reserved_mib * 1024L * 1024L
       << R"(,"alloc_retries":0},"device":{"capacity_bytes":1,"peak_bytes":1,"context_bytes":1,"libraries_bytes":1,)"
       << R"("code_bytes":1}})" << "\n";
  return text.str();
}

Result<DryRuns> read(std::initializer_list<Row> rows) {
  std::string text;
  for (const auto& row : rows) text += text_of(row);
  std::istringstream stream(text);
  return DryRuns::read(stream, "rows.jsonl");
}

TEST(TimmDryRuns, Between_two_batches_it_goes_along_the_line) {
  const auto runs = read({{.batch = 8, .reserved_mib = 1000}, {.batch = 128, .reserved_mib = 13000}});
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_DOUBLE_EQ(*runs->reserved_mib("resnet50", 8), 1000);
  EXPECT_DOUBLE_EQ(*runs->reserved_mib("resnet50", 128), 13000);
  EXPECT_DOUBLE_EQ(*runs->reserved_mib("resnet50", 16), 1800);
}

TEST(TimmDryRuns, The_smaller_of_two_equal_runs_counts) {
  const auto runs = read({{.reserved_mib = 40000}, {.reserved_mib = 38000}, {.reserved_mib = 39000}});
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_DOUBLE_EQ(*runs->reserved_mib("resnet50", 8), 38000);
}

TEST(TimmDryRuns, Beyond_the_batches_there_is_no_answer) {
  const auto runs = read({{.batch = 8}, {.batch = 16, .reserved_mib = 2000}});
  ASSERT_TRUE(runs);
  EXPECT_FALSE(runs->reserved_mib("resnet50", 4));
  EXPECT_EQ(runs->reserved_mib("resnet50", 32).error().what,
            "the model 'resnet50' was dry-run only with batches on one side of 32");
  EXPECT_EQ(runs->reserved_mib("vgg11", 8).error().what, "no dry run of the model 'vgg11'");
}

TEST(TimmDryRuns, Other_kinds_of_jobs_and_those_that_do_not_fit_are_passed_over) {
  const auto runs = read({{.model = "a", .optimizer = "adamw"},
                          {.model = "b", .precision = "bf16"},
                          {.model = "c", .verdict = "does-not-fit"}});
  ASSERT_TRUE(runs) << runs.error().what;
  for (const auto* model : {"a", "b", "c"}) EXPECT_FALSE(runs->reserved_mib(model, 8)) << model;
}

TEST(TimmDryRuns, A_line_that_is_not_a_row_is_named) {
  std::istringstream stream(text_of({}) + "{}\n");
  const auto runs = DryRuns::read(stream, "rows.jsonl");
  ASSERT_FALSE(runs);
  EXPECT_TRUE(runs.error().what.starts_with("rows.jsonl:2: ")) << runs.error().what;
  EXPECT_TRUE(DryRuns::read("/nonexistent/rows.jsonl").error().what.starts_with("/nonexistent/rows.jsonl: "));
}

TEST(TimmDryRuns, They_take_the_place_of_every_jobs_estimate) {
  const auto runs = read({{.batch = 8, .reserved_mib = 1500}});
  TimmMemory memory;
  memory.jobs.push_back({.model = "resnet50", .module = "resnet", .job = {.batch = 8, .estimate_mib = 3}});
  ASSERT_TRUE(estimate_by(*runs, memory));
  EXPECT_DOUBLE_EQ(memory.jobs[0].job.estimate_mib, 1500);
  memory.jobs.push_back({.model = "vgg11", .module = "vgg", .job = {.batch = 8}});
  EXPECT_FALSE(estimate_by(*runs, memory));
}

TEST(TimmDryRuns, Features_made_of_them_ask_for_their_rows) {
  EXPECT_EQ(estimates_of("dry-run"), Estimates::dry_runs);
  EXPECT_EQ(estimates_of("layers"), Estimates::fake_tensor);
  const auto memory = read_timm_memory({.folder = "/nonexistent"}, "module5_s0", Estimates::dry_runs);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().hint, "Give their rows with --dry-runs.");
}

}  // namespace
}  // namespace dryfit::predictor
