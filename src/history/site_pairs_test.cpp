// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/site_pairs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "history/calibration_file.h"
#include "history/testing.h"

namespace dryfit::history {
namespace {

using namespace literals;
using testing::full_record;

std::optional<Outside> outside(const std::string& card) {
  if (card != "rtx-4090-24gb") return std::nullopt;
  return Outside{.context = 400_MiB, .libraries = 100_MiB};
}

TEST(SitePairs, A_peak_is_converted_by_what_is_outside) {
  const Outside card{.context = 400_MiB, .libraries = 100_MiB};
  using enum PeakKind;
  EXPECT_EQ(converted(1_GiB, reserved, beside_context, card), 1124_MiB);
  EXPECT_EQ(converted(1_GiB, reserved, device, card), 1524_MiB);
  EXPECT_EQ(converted(1_GiB, device, beside_context, card), 624_MiB);
  EXPECT_EQ(converted(1_GiB, device, reserved, card), 524_MiB);
  EXPECT_EQ(converted(1_GiB, allocated, allocated, card), 1_GiB);
  EXPECT_FALSE(converted(1_GiB, allocated, reserved, card));
  EXPECT_FALSE(converted(1_GiB, device, allocated, card));
  EXPECT_FALSE(converted(400_MiB, device, reserved, card));
}

TEST(SitePairs, Predictions_are_paired_with_actual_peaks) {
  auto record = full_record();
  record.kind = PeakKind::device;
  record.predicted->kind = PeakKind::beside_context;
  record.outcome = Outcome::out_of_memory;
  const auto [pairs, left_out, latest] = site_pairs({&record, 1}, outside);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].group, (predictor::SiteGroup{"rtx-4090-24gb", "resnet"}));
  EXPECT_EQ(pairs[0].median, (10_GiB).count);
  EXPECT_EQ(pairs[0].actual, (11_GiB - 400_MiB).count);
  EXPECT_TRUE(pairs[0].at_least);
  EXPECT_EQ(latest, record.when);
  EXPECT_TRUE(left_out.empty());
}

TEST(SitePairs, What_cannot_be_compared_is_left_out_and_counted) {
  std::vector<Record> records(6, full_record());
  records[0].predicted.reset();
  records[1].source = "dryfit-run";
  records[2].card = "unknown";
  records[2].kind = PeakKind::device;
  records[3].kind = PeakKind::allocated;
  records[4].predicted->coverage = 0.4;
  records[4].when += 1000;
  const auto [pairs, left_out, latest] = site_pairs(records, outside);
  EXPECT_EQ(pairs.size(), 1u);
  EXPECT_EQ(latest, records[5].when);
  EXPECT_EQ(left_out, (std::map<std::string, std::size_t>{{"no prediction was recorded", 1},
                                                          {"a dry run", 1},
                                                          {"the GPU is not in the catalogue", 1},
                                                          {"the prediction is for another kind of memory", 1},
                                                          {"the coverage is not between 0.5 and 1", 1}}));
  EXPECT_EQ(site_pairs(records, outside, true).pairs.size(), 2u);
}

TEST(CalibrationFile, The_same_calibration_comes_back_and_gives_the_same_bytes) {
  KeptCalibration calibration{.site = {}, .latest = 1793612100};
  calibration.site.groups[{"rtx-4090-24gb", "resnet"}] = {{-0.012345678901234567, 0.041, false}, {0.31, 0.041, true}};
  calibration.site.groups[{"", ""}] = {{0.1, 0, false}};
  const auto text = calibration_text(calibration);
  EXPECT_EQ(*parse_calibration(text, "x"), calibration);
  EXPECT_EQ(calibration_text(*parse_calibration(text, "x")), text);
}

TEST(CalibrationFile, A_digit_that_has_changed_is_a_damage) {
  KeptCalibration calibration{.site = {}, .latest = 1793612100};
  calibration.site.groups[{"rtx-4090-24gb", "resnet"}] = {{-0.125, 0.5, false}};
  auto text = calibration_text(calibration);
  text.replace(text.find("0.125"), 5, "0.325");
  const auto read = parse_calibration(text, "x");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "x: the calibration is damaged");
}

TEST(CalibrationFile, A_file_without_a_time_can_be_read) {
  const auto calibration = parse_calibration(R"({"format":"dryfit-site-calibration","version":1,"groups":[]})", "x");
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->latest, 0);
}

TEST(CalibrationFile, It_lies_beside_the_history) {
  EXPECT_EQ(calibration_beside("/data/history.db"), "/data/history.calibration.json");
}

TEST(CalibrationFile, Wrong_files_are_refused) {
  const auto expect = [](const std::string& text, const char* part) {
    const auto calibration = parse_calibration(text, "site.json");
    ASSERT_FALSE(calibration) << text;
    EXPECT_NE(calibration.error().what.find(part), std::string::npos) << calibration.error().what;
    EXPECT_NE(calibration.error().what.find("site.json"), std::string::npos);
  };
  const std::string begin = R"({"format":"dryfit-site-calibration","version":)";
  expect("", "not a site calibration");
  expect("{}", "not a site calibration");
  expect(begin + "2}", "version 2");
  expect(begin + "1}", "damaged");
  expect(begin + R"(1,"latest":"today","groups":[]})", "damaged");
  expect(begin + R"(1,"groups":[{"card":"a"}]})", "damaged");
  expect(begin + R"(1,"groups":[{"card":"a","family":"b","records":[[1,2]]}]})", "damaged");
  expect(begin + R"(1,"groups":[{"card":"a","family":"b","records":[[1,-2,true]]}]})", "damaged");
  EXPECT_NE(read_calibration("/nonexistent/x.json").error().what.find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::history
