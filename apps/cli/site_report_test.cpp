// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "site_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace dryfit::cli {
namespace {

SiteReport sample() {
  std::vector<predictor::SitePair> pairs;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back({{"a100-40gb", "resnet"}, 1000, 1100, 0.95, 1050.0 + i, false});
    pairs.push_back({{"t4-16gb", "vit"}, 1000, 1100, 0.95, 1300.0 + i, false});
  }
  return {.history = "/data/history.db",
          .calibration = "/data/history.calibration.json",
          .coverage = 0.95,
          .records = pairs.size(),
          .left_out = {{"no prediction was recorded", 3}},
          .assessment = predictor::assess(pairs, 0.95)};
}

TEST(SiteReport, The_table_has_a_row_per_group_and_one_for_all) {
  const auto text = site_text(sample(), {.colour = false, .utf8 = true});
  EXPECT_TRUE(text.starts_with("Corrected bounds cover ")) << text;
  EXPECT_NE(text.find(" of 80 jobs (before: 50.0 %, target: 95.0 %).\n"), std::string::npos) << text;
  EXPECT_NE(text.find("a100-40gb  resnet    40  100.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("t4-16gb    vit       40    0.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("all                  80   50.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("learned from 80 records in /data/history.db"), std::string::npos);
  EXPECT_NE(text.find("skipped 3: no prediction was recorded"), std::string::npos);
  EXPECT_NE(text.find("wrote /data/history.calibration.json"), std::string::npos);
}

TEST(SiteReport, A_drift_is_reported_for_the_group_that_drifts) {
  const auto text = site_text(sample(), {});
  EXPECT_NE(text.find("drift in t4-16gb, vit: 40 of the latest 40 jobs exceeded their bound;\n  5.0 % should"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("drift in a100-40gb"), std::string::npos);
}

TEST(SiteReport, The_JSON_holds_the_same_numbers) {
  const auto json = nlohmann::json::parse(site_json(sample(), "0.2.0"));
  EXPECT_EQ(json["dryfit"], "0.2.0");
  EXPECT_EQ(json["records"], 80);
  EXPECT_EQ(json["all"]["before"]["coverage"], 0.5);
  EXPECT_FALSE(json["all"].contains("card"));
  const auto& vits = json["groups"][1];
  EXPECT_EQ(vits["card"], "t4-16gb");
  EXPECT_GT(vits["bound_factor"], 1.1);
  EXPECT_GT(vits["after"]["coverage"], 0.8);
  EXPECT_EQ(vits["recent"]["drift"], true);
  EXPECT_EQ(json["left_out"]["no prediction was recorded"], 3);
}

}  // namespace
}  // namespace dryfit::cli
