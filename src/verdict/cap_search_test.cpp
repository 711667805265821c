// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/cap_search.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace dryfit::verdict {
namespace {

using namespace literals;

constexpr Bytes kWhole{10000};

/// Runs a job that is a function of its cap.
CapSearch searched(Bytes comfortable, Bytes least, std::size_t at_once,
                   const std::function<CapTrial(std::uint64_t)>& job) {
  CapSearch search(kWhole, comfortable, least);
  for (auto caps = search.next(at_once); !caps.empty(); caps = search.next(at_once)) {
    for (const auto cap : caps) {
      auto trial = job(cap.count);
      trial.cap = cap;
      search.note(trial);
    }
  }
  return search;
}

/// Needs retries below one cap, and fails below another.
std::function<CapTrial(std::uint64_t)> plain_job(std::uint64_t comfortable, std::uint64_t least) {
  return [=](std::uint64_t cap) {
    return CapTrial{.runs = cap >= least, .retries = cap < comfortable ? std::uint64_t{3} : 0};
  };
}

TEST(CapSearch, A_replay_that_is_right_is_confirmed_to_the_byte) {
  const auto search = searched(5012_B, 4777_B, 1, plain_job(5012, 4777));
  ASSERT_TRUE(search.found());
  EXPECT_EQ(search.comfortable(), 5012_B);
  EXPECT_EQ(search.least(), 4777_B);
  EXPECT_EQ(search.trials().size(), 6u);  // 5012, 5000, 4900, 4800, 4777 and 4700, which fails
}

TEST(CapSearch, A_library_that_gives_in_is_followed_down_in_steps_of_a_percent) {
  const auto search = searched(5012_B, 4777_B, 1, plain_job(5012, 4150));
  EXPECT_EQ(search.least(), 4200_B);
}

TEST(CapSearch, A_failure_above_ends_the_scan_whatever_runs_below) {
  const auto job = [](std::uint64_t cap) { return CapTrial{.runs = cap != 4900, .retries = cap < 5000 ? 1u : 0u}; };
  EXPECT_EQ(searched(5000_B, 4500_B, 1, job).least(), 5000_B);
  EXPECT_EQ(searched(5000_B, 4500_B, 4, job).least(), 5000_B);
}

TEST(CapSearch, A_comfortable_cap_that_is_not_is_left_upwards) {
  const auto search = searched(5012_B, 4777_B, 2, plain_job(5250, 5150));
  EXPECT_EQ(search.comfortable(), 5300_B);
  EXPECT_EQ(search.least(), 5200_B);
}

TEST(CapSearch, A_job_that_runs_nowhere_ends_at_the_whole_GPU) {
  const auto search = searched(9800_B, 9700_B, 1, plain_job(20000, 20000));
  EXPECT_FALSE(search.found());
  EXPECT_EQ(search.trials().front().cap, kWhole);
}

TEST(CapSearch, No_cap_is_tried_twice) {
  const auto search = searched(5000_B, 4700_B, 3, plain_job(5000, 4600));
  std::set<Bytes> caps;
  for (const auto& trial : search.trials()) EXPECT_TRUE(caps.insert(trial.cap).second);
  EXPECT_EQ(search.least(), 4600_B);
}

TEST(CapSearch, A_job_that_needs_retries_on_the_whole_GPU_has_no_comfortable_cap) {
  const auto search = searched(9800_B, 9700_B, 1, plain_job(20000, 9500));
  EXPECT_EQ(search.comfortable(), std::nullopt);
  EXPECT_TRUE(search.found());
  EXPECT_EQ(search.least(), 9500_B);
}

}  // namespace
}  // namespace dryfit::verdict
