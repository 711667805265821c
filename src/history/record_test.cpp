// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "history/record_json.h"
#include "history/testing.h"

namespace dryfit::history {
namespace {

using namespace literals;
using testing::full_record;

void expect_refused(const Record& record, const char* part) {
  const auto status = check(record);
  ASSERT_FALSE(status) << part;
  EXPECT_NE(status.error().what.find(part), std::string::npos) << status.error().what;
  EXPECT_FALSE(status.error().hint.empty());
}

TEST(Record, What_is_missing_or_makes_no_sense_is_named) {
  EXPECT_TRUE(check(full_record()));
  auto record = full_record("");
  expect_refused(record, "job id");
  record = full_record();
  record.host = "";
  expect_refused(record, "host");
  record = full_record();
  record.peak = 0_B;
  expect_refused(record, "peak");
  record = full_record();
  record.job = "[1]";
  expect_refused(record, "JSON object");
  record = full_record();
  record.step_seconds = std::nan("");
  expect_refused(record, "time of a step");
  record = full_record();
  record.predicted->upper = 1_GiB;
  expect_refused(record, "below the median");
  record = full_record();
  record.predicted->coverage = 95;
  expect_refused(record, "coverage");
}

TEST(Record, A_family_is_the_letters_that_a_models_name_begins_with) {
  EXPECT_EQ(family_of(R"({"model": "resnet50"})"), "resnet");
  EXPECT_EQ(family_of(R"({"model": "vit_b_16"})"), "vit");
  EXPECT_EQ(family_of(R"({"model": {"source": "timm", "name": "ConvNeXt_tiny"}})"), "convnext");
  EXPECT_EQ(family_of(R"({"batch": 4})"), "");
  EXPECT_EQ(family_of(R"({"model": 7})"), "");
  EXPECT_EQ(family_of(""), "");
}

TEST(Record, Kinds_and_outcomes_have_names) {
  for (const auto kind : {PeakKind::allocated, PeakKind::reserved, PeakKind::beside_context, PeakKind::device}) {
    EXPECT_EQ(*parse_kind(to_text(kind)), kind);
  }
  EXPECT_EQ(*parse_outcome("oom"), Outcome::out_of_memory);
  EXPECT_EQ(*parse_outcome(to_text(Outcome::out_of_memory)), Outcome::out_of_memory);
  EXPECT_NE(parse_kind("host").error().hint.find("reserved"), std::string::npos);
  EXPECT_FALSE(parse_outcome("maybe"));
}

TEST(Record, A_line_of_JSON_gives_the_same_record_back) {
  auto record = full_record();
  EXPECT_EQ(*record_of(nlohmann::json::parse(to_line(record))), record);
  record.predicted.reset();
  record.step_seconds.reset();
  record.job.clear();
  record.software.clear();
  EXPECT_EQ(*record_of(nlohmann::json::parse(to_line(record))), record);
}

TEST(Record, A_line_always_has_the_same_keys) {
  Record bare{.job_id = "1", .host = "h", .source = "s", .peak = 1_B};
  EXPECT_EQ(to_line(bare),
            R"({"job_id":"1","host":"h","source":"s","when":0,"name":null,"job":null,"card":null,"kind":"reserved",)"
            R"("peak_bytes":1,"outcome":"ok","step_seconds":null,"tflops":null,"predicted":null,"software":{}})");
}

TEST(Record, Wrong_JSON_is_refused_with_the_key) {
  const auto expect = [](const char* text, const char* part) {
    const auto record = record_of(nlohmann::json::parse(text, nullptr, false));
    ASSERT_FALSE(record) << text;
    EXPECT_NE(record.error().what.find(part), std::string::npos) << record.error().what;
  };
  expect("[]", "JSON object");
  expect("{broken", "JSON object");
  expect(R"({"job_id": 7})", "'job_id'");
  expect(R"({"peak_bytes": -1})", "'peak_bytes'");
  expect(R"({"job_id": "1", "host": "h", "source": "s", "peak_bytes": 1, "kind": "x", "outcome": "ok"})", "'x'");
  expect(R"({"job_id": "1", "host": "h", "source": "s", "peak_bytes": 1, "kind": "device", "outcome": "ok",
             "predicted": {"median_bytes": "many"}})",
         "'median_bytes'");
}

}  // namespace
}  // namespace dryfit::history
