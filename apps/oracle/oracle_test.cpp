// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "oracle_trace.h"
#include "recording_replay.h"
#include "rounding_table.h"
#include "trace_replay.h"

namespace dryfit::oracle {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = DRYFIT_SOURCE_DIR "/tests/oracle";

void expect_exact(const Result<Comparison>& result, const fs::path& path) {
  ASSERT_TRUE(result) << path << ": " << result.error().what;
  EXPECT_GT(result->operations, 0u);
  EXPECT_EQ(result->mismatches, 0u) << path << ": " << (result->first ? to_text(*result->first) : "");
}

TEST(Oracle, Every_column_of_the_sample_agrees) {
  for (const auto& entry : fs::recursive_directory_iterator(kFolder / "sample")) {
    if (entry.path().extension() != ".tsv" || entry.path().filename() == "rounding.tsv") continue;
    const auto trace = read_oracle_trace(entry.path());
    ASSERT_TRUE(trace) << trace.error().what;
    expect_exact(replay_trace(**trace, (*trace)->version), entry.path());
  }
}

TEST(Oracle, Rounding_agrees_in_three_versions) {
  expect_exact(compare_rounding_table(kFolder / "sample/rounding.tsv"), "rounding.tsv");
}

TEST(Oracle, A_recording_of_a_real_gpu_is_replayed_to_its_end) {
  for (const auto& entry : fs::directory_iterator(kFolder / "recordings")) {
    const auto recording = read_recording(entry.path());
    ASSERT_TRUE(recording) << recording.error().what;
    expect_exact(replay_recording(*recording), entry.path());
  }
}

/// What a recording of these lines comes to.
Result<Comparison> replay_of(const std::string& lines) {
  const fs::path path = fs::temp_directory_path() / ("recording-" + std::to_string(::getpid()) + ".txt");
  std::ofstream(path) << lines;
  const auto recording = read_recording(path);
  fs::remove(path);
  if (!recording) return recording.error();
  return replay_recording(*recording);
}

TEST(Oracle, The_first_difference_of_a_recording_is_named) {
  const auto wrong_address = replay_of("+seg 1000000 20971520\na 1000200 20971520\n");
  ASSERT_TRUE(wrong_address && wrong_address->first);
  EXPECT_EQ(to_text(*wrong_address->first), "line 2, address: expected 1000200, got 1000000");
  const auto unexpected_segment = replay_of("a 0 512\n");
  ASSERT_TRUE(unexpected_segment && unexpected_segment->first);
  EXPECT_EQ(unexpected_segment->first->column, "new segments");
}

TEST(Oracle, A_free_in_two_parts_is_replayed) {
  expect_exact(replay_of("+\t1000000\t20971520\t0\na\t1000000\t20971520\t0\nq\t1000000\t20971520\t0\n"
                         "c\t1000000\t20971520\t0\na\t1000000\t20971520\t0\n"),
               "lines");
}

TEST(Oracle, A_line_that_is_not_part_of_a_recording_is_refused) { EXPECT_FALSE(replay_of("x 1000000 512\n")); }

}  // namespace
}  // namespace dryfit::oracle
