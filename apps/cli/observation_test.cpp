// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "observation.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

using namespace literals;
using history::Outcome;
using history::PeakKind;
using history::Record;

const Catalogue& catalogue() {
  static const auto loaded = Catalogue::load(std::string(DRYFIT_SOURCE_DIR) + "/cards");
  EXPECT_TRUE(loaded);
  return *loaded;
}

const Defaults kDefaults{.job_id = "", .name = "", .host = "here", .now = 1000};

std::vector<Record> two() {
  return {{.job_id = "1", .host = "g1", .source = "slurm", .when = 7, .card = "a100-40", .peak = 1_GiB},
          {.job_id = "2", .host = "g2", .source = "slurm", .card = "odd card", .peak = 2_GiB}};
}

Record completed(const Remarks& remarks, Record record = {.source = "torch", .peak = 1_GiB}) {
  std::vector<Record> records{std::move(record)};
  const auto status = complete(records, remarks, kDefaults, "content", catalogue());
  EXPECT_TRUE(status) << (status ? "" : status.error().what);
  return records.at(0);
}

void expect_refused(const Status& status, const std::string& part) {
  ASSERT_FALSE(status) << part;
  EXPECT_NE((status.error().what + status.error().hint).find(part), std::string::npos) << status.error().what;
}

TEST(Observation, A_typed_peak_is_a_record) {
  const auto typed = typed_observation("11.2GiB", {.kind = "reserved"}, catalogue());
  ASSERT_TRUE(typed);
  EXPECT_EQ(typed->records.at(0).kind, PeakKind::reserved);
  EXPECT_EQ(to_text(typed->records[0].peak), "11.20 GiB");
}

TEST(Observation, A_job_that_ran_out_of_memory_wanted_at_least_the_card) {
  const auto typed = typed_observation("", {.gpu = "rtx-3060-12gb", .outcome = "oom"}, catalogue());
  ASSERT_TRUE(typed);
  EXPECT_EQ(typed->records.at(0).kind, PeakKind::device);
  EXPECT_EQ(typed->records[0].peak, catalogue().find("rtx-3060-12gb")->card.total_memory);
}

TEST(Observation, Without_a_peak_or_its_kind_there_is_nothing_to_record) {
  EXPECT_FALSE(typed_observation("", {}, catalogue()));
  EXPECT_FALSE(typed_observation("", {.outcome = "oom"}, catalogue()));
  EXPECT_NE(typed_observation("1GiB", {}, catalogue()).error().what.find("--kind"), std::string::npos);
  EXPECT_FALSE(typed_observation("1GiB", {.kind = "host"}, catalogue()));
  EXPECT_FALSE(typed_observation("much", {.kind = "device"}, catalogue()));
}

TEST(Observation, What_nobody_says_is_taken_from_here_and_now) {
  const auto record = completed({});
  EXPECT_EQ(record.host, "here");
  EXPECT_EQ(record.when, 1000);
  EXPECT_TRUE(record.job_id.starts_with("file-"));
  EXPECT_EQ(record.job_id, completed({}).job_id);
}

TEST(Observation, What_the_user_says_goes_before_what_the_file_says) {
  const Remarks remarks{.job_id = "mine",
                        .host = "there",
                        .name = "nightly",
                        .job = R"({"model":"resnet50"})",
                        .gpu = "4090",
                        .when = "2026-11-02T09:35:00Z",
                        .outcome = "oom",
                        .step_seconds = 0.5,
                        .tflops = 30,
                        .median = "10GiB",
                        .upper = "12GiB",
                        .coverage = 0.9,
                        .model_file = "m.dryfit-model",
                        .software = {"torch=2.6.0"}};
  const auto record = completed(remarks, two()[0]);
  EXPECT_EQ(record.job_id, "mine");
  EXPECT_EQ(record.host, "there");
  EXPECT_EQ(record.card, "rtx-4090-24gb");
  EXPECT_EQ(record.when, 1793612100);
  EXPECT_EQ(record.outcome, Outcome::out_of_memory);
  EXPECT_EQ(record.step_seconds, 0.5);
  EXPECT_EQ(record.software.at("torch"), "2.6.0");
  EXPECT_EQ(record.predicted,
            (history::PastPrediction{10_GiB, 12_GiB, 0.9, PeakKind::beside_context, "m.dryfit-model"}));
}

TEST(Observation, Cards_that_the_catalogue_knows_get_its_ids) {
  auto records = two();
  ASSERT_TRUE(complete(records, {}, kDefaults, "", catalogue()));
  EXPECT_EQ(records[0].card, "a100-40gb");
  EXPECT_EQ(records[0].when, 7);
  EXPECT_EQ(records[1].card, "odd card");
}

TEST(Observation, A_job_is_chosen_by_its_id) {
  auto records = two();
  ASSERT_TRUE(complete(records, {.job_id = "2", .job = "{}"}, kDefaults, "", catalogue()));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].peak, 2_GiB);
  records = two();
  expect_refused(complete(records, {.job_id = "3"}, kDefaults, "", catalogue()), "1, 2");
}

TEST(Observation, A_description_or_a_prediction_is_of_one_job) {
  auto records = two();
  expect_refused(complete(records, {.job = "{}"}, kDefaults, "", catalogue()), "holds 2 jobs");
  records = two();
  expect_refused(complete(records, {.median = "1GiB", .upper = "2GiB"}, kDefaults, "", catalogue()), "--job-id");
}

TEST(Observation, A_prediction_is_found_wherever_it_stands) {
  const Remarks remarks{.prediction =
                            R"({"results":[{"memory":{"median_bytes":10,"upper_bytes":20,"coverage":0.9}}]})"};
  EXPECT_EQ(completed(remarks).predicted->upper, 20_B);
}

TEST(Observation, Remarks_that_make_no_sense_are_refused) {
  const auto refused = [](const Remarks& remarks, const std::string& part) {
    std::vector<Record> records{{.source = "torch", .peak = 1_GiB}};
    expect_refused(complete(records, remarks, kDefaults, "", catalogue()), part);
  };
  refused({.job = "resnet50"}, "JSON object");
  refused({.gpu = "rtx-3061"}, "3060");
  refused({.when = "soon"}, "'soon'");
  refused({.outcome = "maybe"}, "'maybe'");
  refused({.step_seconds = -1}, "time of a step");
  refused({.median = "1GiB"}, "--upper");
  refused({.median = "2GiB", .upper = "1GiB"}, "below the median");
  refused({.median = "1GiB", .upper = "2GiB", .coverage = 95}, "coverage");
  refused({.median = "1GiB", .upper = "2GiB", .predicted_kind = "x"}, "'x'");
  refused({.prediction = "[]"}, "median_bytes");
  refused({.prediction = R"({"median_bytes": "x"})"}, "'median_bytes'");
  refused({.median = "1GiB", .upper = "2GiB", .prediction = R"({"median_bytes": 1})"}, "two predictions");
  refused({.software = {"torch"}}, "'torch'");
}

}  // namespace
}  // namespace dryfit::cli
