// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "site_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "base/temporary_folder.h"
#include "predict_testing.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

class SiteBoundsTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "dryfit"); }

  fs::path write(const fs::path& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::vector<std::string> environment() const { return {"XDG_DATA_HOME=" + folder_.string()}; }

  const TemporaryFolder kept_;
  const fs::path folder_ = kept_.path();
  const std::string sound_ = history::calibration_text(testing::half_too_low());
};

TEST_F(SiteBoundsTest, Its_answers_are_those_of_the_calibration_every_time) {
  const auto calibration = testing::half_too_low();
  const SiteBounds bounds("site.json", calibration);
  const double expected = calibration.site.shift(0.95, {"rtx-4090-24gb", "resnet"});
  EXPECT_GT(expected, std::log(1.4));
  EXPECT_EQ(bounds.shift("rtx-4090-24gb", "resnet50", 0.95), expected);
  EXPECT_EQ(bounds.shift("rtx-4090-24gb", "resnet101", 0.95), expected);
  EXPECT_NE(bounds.shift("rtx-4090-24gb", "vit_b_16", 0.95), expected);
  EXPECT_EQ(bounds.shift("rtx-4090-24gb", "resnet50", 0.4), 0);
}

TEST_F(SiteBoundsTest, New_coverages_from_many_threads_are_answered) {
  const SiteBounds bounds("site.json", testing::half_too_low());
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 4000; ++i) EXPECT_GT(bounds.shift("rtx-4090-24gb", "resnet50", 0.6 + i * 5e-5), 0);
    });
  }
}

TEST_F(SiteBoundsTest, It_knows_the_records_and_the_day_of_the_last) {
  const SiteBounds bounds("site.json", testing::half_too_low());
  EXPECT_EQ(bounds.records(), 200u);
  EXPECT_EQ(bounds.day(), "2026-11-02");
  EXPECT_EQ(SiteBounds("site.json", {}).day(), "");
}

TEST_F(SiteBoundsTest, The_one_beside_the_default_history_is_found) {
  write("dryfit/history.calibration.json", sound_);
  const auto found = site_correction({}, environment());
  ASSERT_TRUE(found && found->bounds);
  EXPECT_EQ(found->bounds->file(), folder_ / "dryfit" / "history.calibration.json");
  EXPECT_TRUE(found->problem.empty());
  EXPECT_FALSE(site_correction({.none = true}, environment())->bounds);
}

TEST_F(SiteBoundsTest, Without_one_nothing_is_corrected_and_nothing_is_wrong) {
  for (const auto& where : {environment(), {}}) {
    const auto found = site_correction({}, where);
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->bounds);
    EXPECT_EQ(found->problem, "");
  }
}

TEST_F(SiteBoundsTest, One_that_is_found_and_damaged_or_newer_is_a_problem_with_a_reason) {
  const auto newer = std::string(R"({"format":"dryfit-site-calibration","version":9,"groups":[]})");
  for (const auto& [text, part] :
       {std::pair(sound_.substr(0, 50), "not a site calibration"), std::pair(newer, "version 9")}) {
    write("dryfit/history.calibration.json", text);
    const auto found = site_correction({}, environment());
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->bounds);
    EXPECT_NE(found->problem.find(part), std::string::npos) << found->problem;
    EXPECT_NE(found->problem.find("dryfit learn --from-history"), std::string::npos) << found->problem;
  }
}

TEST_F(SiteBoundsTest, One_that_is_named_and_cannot_be_used_is_an_error) {
  EXPECT_TRUE(site_correction({.file = write("mine.json", sound_)}, {}));
  EXPECT_FALSE(site_correction({.file = write("mine.json", "{}")}, {}));
  EXPECT_FALSE(site_correction({.file = folder_ / "missing.json"}, {}));
  EXPECT_FALSE(site_correction({.file = write("mine.json", sound_), .none = true}, {}));
}

}  // namespace
}  // namespace dryfit::cli
