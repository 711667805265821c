// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predictor/site_calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace dryfit::predictor {
namespace {

const SiteGroup kCalibratedResnets{"rtx-4090-24gb", "resnet"};
constexpr double kMargin = 0.1;  // of the shipped bounds, in ln

/// A job that took e^`ratio` times the median.
SitePair pair(double ratio, bool at_least = false, const SiteGroup& group = kCalibratedResnets) {
  return {.group = group,
          .median = 1000,
          .upper = 1000 * std::exp(kMargin),
          .coverage = 0.9,
          .actual = 1000 * std::exp(ratio),
          .at_least = at_least};
}

/// As many as wanted, the ratios 1/100, 2/100, ...
std::vector<SitePair> rising(int count) {
  std::vector<SitePair> pairs;
  for (int i = 1; i <= count; ++i) pairs.push_back(pair(i / 100.0));
  return pairs;
}

double weight(double n, double coverage) { return n / (n + coverage / (1 - coverage)); }

TEST(SiteCalibration, Without_records_a_bound_stays_as_it_was_shipped) {
  EXPECT_EQ(SiteCalibration().apply(1000, 1200, 0.95, kCalibratedResnets), 1200);
}

TEST(SiteCalibration, The_finite_sample_rule_takes_the_next_higher_rank) {
  // 19 records at 90 %: rank ⌈20 · 0.9⌉ = 18, whose score is 0.18 − 0.1. All three circles hold the same records.
  const auto calibration = calibrate(rising(19));
  const double w = weight(19, 0.9), q = 0.18 - kMargin;
  const double site = w * q, card = w * q + (1 - w) * site;
  EXPECT_NEAR(calibration.shift(0.9, kCalibratedResnets), w * q + (1 - w) * card, 1e-12);
}

TEST(SiteCalibration, Too_few_records_may_raise_a_bound_and_not_lower_it) {
  EXPECT_NEAR(calibrate(rising(8)).shift(0.9, kCalibratedResnets), 0, 1e-12);
  std::vector<SitePair> above{pair(0.3)};
  const double shift = calibrate(above).shift(0.9, kCalibratedResnets);
  EXPECT_GT(shift, 0);
  EXPECT_LT(shift, 0.2);
}

TEST(SiteCalibration, Many_records_lower_a_bound_that_is_too_high) {
  std::vector<SitePair> pairs(2000, pair(0.02));
  EXPECT_NEAR(calibrate(pairs).shift(0.9, kCalibratedResnets), 0.02 - kMargin, 0.001);
  EXPECT_NEAR(calibrate(pairs).apply(1000, 1000 * std::exp(kMargin), 0.9, kCalibratedResnets), 1020.2, 0.5);
}

TEST(SiteCalibration, Observations_from_elsewhere_raise_a_bound_and_never_lower_it) {
  const SiteGroup other_family{kCalibratedResnets.card, "vit"}, other_card{"t4-16gb", "resnet"};
  const std::vector<SitePair> low(500, pair(0.01)), high(500, pair(0.2));
  EXPECT_EQ(calibrate(low).shift(0.9, other_family), 0);
  EXPECT_EQ(calibrate(low).shift(0.9, other_card), 0);
  EXPECT_NEAR(calibrate(high).shift(0.9, other_family), 0.1, 0.01);
  EXPECT_NEAR(calibrate(high).shift(0.9, other_card), 0.1, 0.01);
}

TEST(SiteCalibration, A_bound_that_was_widened_for_one_job_stays_wider) {
  const auto calibration = calibrate(rising(50));
  EXPECT_NEAR(
      calibration.apply(1000, 3000, 0.9, kCalibratedResnets) / calibration.apply(1000, 1500, 0.9, kCalibratedResnets),
      2, 1e-12);
}

TEST(SiteCalibration, A_bound_is_never_below_the_median) {
  const std::vector<SitePair> pairs(5000, pair(-1));
  EXPECT_EQ(calibrate(pairs).apply(1000, 1100, 0.9, kCalibratedResnets), 1000);
}

TEST(SiteCalibration, A_job_that_ran_out_of_memory_gives_its_weight_to_larger_ones) {
  // 1, 2, 3+, 4 of four records and the unseen one: masses 0.2, 0.2, −, 0.3 and 0.3.
  std::vector<SitePair> pairs{pair(1), pair(2), pair(3, true), pair(4)};
  const auto calibration = calibrate(pairs);
  const double scale = calibration.groups.at(kCalibratedResnets)[0].scale;
  const double q = 4 - scale * 0.5244005127080407;  // the normal quantile of 0.7
  EXPECT_NEAR(calibration.shift(0.7, kCalibratedResnets), q * (1 - std::pow(1 - weight(4, 0.7), 3)), 1e-9);
}

TEST(SiteCalibration, Running_out_of_memory_below_the_bound_lowers_nothing) {
  const std::vector<SitePair> failed(500, pair(0.01, true));
  EXPECT_EQ(calibrate(failed).shift(0.9, kCalibratedResnets), 0);
}

TEST(SiteCalibration, Running_out_of_memory_above_the_bound_raises_it) {
  auto pairs = rising(100);
  const double without = calibrate(pairs).shift(0.9, kCalibratedResnets);
  for (int i = 0; i < 5; ++i) pairs.push_back(pair(0.5, true));
  EXPECT_GT(calibrate(pairs).shift(0.9, kCalibratedResnets), without);
}

TEST(SiteCalibration, The_order_of_the_records_does_not_matter) {
  auto pairs = rising(30);
  const auto calibration = calibrate(pairs);
  std::ranges::reverse(pairs);
  EXPECT_EQ(calibration, calibrate(pairs));
}

TEST(SiteCalibration, A_coverage_of_one_half_or_less_is_left_alone) {
  EXPECT_EQ(calibrate(rising(50)).shift(0.5, kCalibratedResnets), 0);
}

TEST(SiteCalibration, New_jobs_of_the_same_kind_are_covered_as_often_as_promised) {
  // The shipped bound believes in a deviation of 0.05; the site has 0.15 and a tail.
  std::mt19937_64 random(1);
  std::student_t_distribution<double> tail(4);
  const auto drawn = [&] {
    SitePair result = pair(0.15 * tail(random));
    result.upper = result.median * std::exp(0.05 * 1.6448536269514722);
    result.coverage = 0.95;
    return result;
  };
  std::vector<SitePair> seen;
  for (int i = 0; i < 1000; ++i) seen.push_back(drawn());
  const auto calibration = calibrate(seen);
  const double shift = calibration.shift(0.95, kCalibratedResnets);
  int before = 0, after = 0;
  constexpr int kNew = 20'000;
  for (int i = 0; i < kNew; ++i) {
    const auto job = drawn();
    before += job.actual <= job.upper;
    after += job.actual <= corrected_bound(job.median, job.upper, shift);
  }
  EXPECT_LT(before, kNew * 0.75);
  EXPECT_NEAR(after, kNew * 0.95, kNew * 0.015);
}

TEST(SiteCalibration, Pairs_that_make_no_sense_are_refused) {
  EXPECT_TRUE(check(pair(0.1)));
  for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto bad = pair(0.1);
    bad.actual = wrong;
    EXPECT_FALSE(check(bad)) << wrong;
  }
  auto bad = pair(0.1);
  bad.upper = bad.median - 1;
  EXPECT_EQ(check(bad).error().what, "the bound is below the median");
  bad = pair(0.1);
  for (const double coverage : {0.5, 1.0, std::nan("")}) {
    bad.coverage = coverage;
    EXPECT_EQ(check(bad).error().what, "the coverage is not between 0.5 and 1");
  }
}

}  // namespace
}  // namespace dryfit::predictor
