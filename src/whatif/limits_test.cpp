// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "whatif/play.h"
#include "whatif/testing.h"

namespace dryfit::whatif {
namespace {

using namespace literals;
using namespace testing;

/// A recording made of operations alone.
class Script {
 public:
  Slot malloc(Bytes size) {
    add({.kind = Operation::Kind::malloc, .slot = slots_, .size = size});
    return slots_++;
  }
  void free(Slot slot) { add({.kind = Operation::Kind::free, .slot = slot}); }
  Slot malloc_if_possible(Bytes size) {
    const auto slot = malloc(size);
    operations_.back().is_optional = true;
    return slot;
  }
  void refuse(Bytes size) { add({.kind = Operation::Kind::refused_malloc, .size = size}); }

  Recording recording() const { return {.torch = kTorch, .operations = operations_, .slots = slots_}; }

 private:
  void add(Operation operation) {
    operation.entry = static_cast<std::uint32_t>(operations_.size());
    operations_.push_back(operation);
  }

  std::vector<Operation> operations_;
  Slot slots_ = 0;
};

Conditions with(const std::string& alloc_conf) {
  return {.torch = kTorch, .config = *simulator::parse_alloc_config(alloc_conf, kTorch)};
}

/// A program that keeps up to 40 tensors of all sizes, most of them not for long.
Script random_program(std::uint32_t seed) {
  std::mt19937 random(seed);
  Script script;
  std::vector<Slot> live;
  for (int i = 0; i < 160; ++i) {
    const bool drops = !live.empty() && (live.size() >= 40 || random() % 5 < 2);
    if (drops) {
      const auto chosen = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
      script.free(*chosen);
      live.erase(chosen);
    } else {
      const double exponent = 10 + 16 * static_cast<double>(random()) / 4294967296.0;
      live.push_back(script.malloc(Bytes{static_cast<std::uint64_t>(std::exp2(exponent))}));
    }
  }
  return script;
}

bool runs_with(const Recording& recording, Conditions conditions, Bytes cap) {
  conditions.cap = cap;
  const auto outcome = play(recording, conditions);
  return outcome && outcome->complete;
}

std::uint64_t retries_with(const Recording& recording, Conditions conditions, Bytes cap) {
  conditions.cap = cap;
  return play(recording, conditions)->alloc_retries;
}

const CapBand* band_of(const CapScan& scan, Bytes cap) {
  const auto found = std::ranges::find_if(scan.bands, [&](const CapBand& band) { return band.caps.contains(cap); });
  return found == scan.bands.end() ? nullptr : &*found;
}

/// Tries every multiple of 2 MiB.
void expect_same_as_trying_all(const Script& script, const std::string& alloc_conf) {
  const auto recording = script.recording();
  const auto conditions = with(alloc_conf);
  const auto scan = scan_caps(recording, conditions, {.beyond_least = true});
  ASSERT_TRUE(scan);
  Bytes least, comfortable;
  bool all_run = true, none_retries = true;
  for (Bytes cap = round_up(scan->comfortable + 64_MiB, 2_MiB); cap.count > 0; cap -= 2_MiB) {
    const bool runs = runs_with(recording, conditions, cap);
    const auto retries = retries_with(recording, conditions, cap);
    all_run &= runs;
    none_retries &= runs && retries == 0;
    if (all_run) least = cap;
    if (none_retries) comfortable = cap;
    const auto* band = band_of(*scan, cap);
    ASSERT_EQ(band && band->runs, runs) << to_text(cap);
    ASSERT_TRUE(!runs || band->retries == retries) << to_text(cap);
  }
  // The threshold of garbage collection moves with the cap and may fall between two multiples.
  if (conditions.config.garbage_collection_threshold == 0) {
    EXPECT_EQ(round_up(scan->least, 2_MiB), least);
  }
  EXPECT_GE(round_up(scan->least, 2_MiB), least);
  EXPECT_TRUE(runs_with(recording, conditions, scan->least));
  EXPECT_FALSE(runs_with(recording, conditions, Bytes{scan->least.count - 1}));
  EXPECT_EQ(round_up(scan->comfortable, 2_MiB), comfortable);
  EXPECT_TRUE(scan->least_is_exact);
}

class EveryCap : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryCap, A_scan_finds_what_trying_all_caps_finds) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same_as_trying_all(random_program(seed), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Limits, EveryCap,
                         ::testing::Values("", "expandable_segments:True", "max_split_size_mb:32",
                                           "roundup_power2_divisions:4", "garbage_collection_threshold:0.7"));

TEST(Limits, Right_below_a_band_a_replay_is_another_one) {
  const auto script = random_program(7);
  const auto recording = script.recording();
  const auto scan = scan_caps(recording, with(""), {.beyond_least = true});
  ASSERT_TRUE(scan);
  ASSERT_GT(scan->bands.size(), 3u);
  for (std::size_t i = 1; i < scan->bands.size(); ++i) {
    EXPECT_EQ(scan->bands[i].caps.below, scan->bands[i - 1].caps.from);
    EXPECT_LT(scan->bands[i].caps.from, scan->bands[i].caps.below);
  }
}

TEST(Limits, The_least_cap_needs_no_room_for_a_cache_that_can_be_released) {
  Script script;
  script.free(script.malloc(30_MiB));
  script.malloc(40_MiB);
  const auto scan = scan_caps(script.recording(), with(""));
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->comfortable, 70_MiB);
  EXPECT_EQ(scan->least, 40_MiB);
  EXPECT_TRUE(scan->least_is_exact);
}

TEST(Limits, A_hole_below_caps_that_run_does_not_count_as_least) {
  bool found = false;
  for (std::uint32_t seed = 0; seed < 200 && !found; ++seed) {
    const auto script = random_program(seed);
    const auto recording = script.recording();
    const auto scan = scan_caps(recording, with(""), {.beyond_least = true});
    ASSERT_TRUE(scan);
    const auto lower = std::ranges::find_if(
        scan->bands, [&](const CapBand& band) { return band.runs && band.caps.below < scan->least; });
    if (lower == scan->bands.end()) continue;
    found = true;
    EXPECT_TRUE(runs_with(recording, with(""), lower->caps.from));
    EXPECT_FALSE(runs_with(recording, with(""), Bytes{scan->least.count - 1}));
  }
  EXPECT_TRUE(found) << "no program runs with less than a cap that fails";
}

TEST(Limits, The_least_cap_needs_no_room_for_what_the_program_can_do_without) {
  Script script;
  script.malloc(30_MiB);
  script.free(script.malloc_if_possible(200_MiB));
  script.malloc(40_MiB);
  const auto scan = scan_caps(script.recording(), with(""));
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->comfortable, 230_MiB);
  EXPECT_EQ(scan->least, 70_MiB);
}

TEST(Limits, A_scan_that_stops_early_gives_a_cap_that_runs_and_says_so) {
  Script script;
  script.free(script.malloc(30_MiB));
  script.malloc(40_MiB);
  const auto scan = scan_caps(script.recording(), with(""), {.operations = 1});
  ASSERT_TRUE(scan);
  EXPECT_FALSE(scan->least_is_exact);
  EXPECT_EQ(scan->least, 70_MiB);
}

TEST(Limits, A_program_that_was_refused_memory_has_no_limits) {
  Script script;
  script.malloc(30_MiB);
  script.refuse(100_MiB);
  const auto scan = scan_caps(script.recording(), with(""));
  ASSERT_FALSE(scan);
  EXPECT_NE(scan.error().what.find("ran out of memory"), std::string::npos);
}

TEST(Limits, A_cap_is_never_less_than_what_was_reserved_at_the_start) {
  Tape tape;
  tape.free(kA, 30_MiB).ends_with(kA, 30_MiB, 0_B);
  const auto recording = tape.recording();
  ASSERT_EQ(recording.reserved_at_start(), 30_MiB);
  const auto scan = scan_caps(recording, with(""), {.beyond_least = true});
  ASSERT_TRUE(scan);
  EXPECT_EQ(scan->least, 30_MiB);
}

TEST(Limits, The_least_possible_cap_is_what_is_held_at_once) {
  Script script;
  const auto first = script.malloc(30_MiB);
  script.free(first);
  script.malloc(40_MiB);
  script.malloc(1_B);
  EXPECT_EQ(least_possible_cap(script.recording(), with("")), 40_MiB + 512_B);
}

}  // namespace
}  // namespace dryfit::whatif
