// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// tests/golden/trace-v1.dryfit is a file of format version 1 and stays for ever; trace-v1.txt is what it says. Both are
// written anew by
//
//   trace_test --gtest_also_run_disabled_tests --gtest_filter='*Refresh*'
//
// The first may change only as long as no release has written version 1.
#include <gtest/gtest.h>

#include "trace/test_support.h"

namespace dryfit::trace {
namespace {

using namespace testing;

const std::string kGolden = DRYFIT_SOURCE_DIR "/tests/golden/trace-v1";

/// What differs from run to run, process numbers and times, gets fixed values; record n happens n microseconds after
/// the start.
std::string without_circumstances(std::string bytes) {
  poke<std::uint32_t>(bytes, offsetof(wire::Header, pid), 4242);
  poke<std::uint32_t>(bytes, offsetof(wire::Header, ppid), 4241);
  poke<std::uint64_t>(bytes, offsetof(wire::Header, start_realtime), 1'700'000'000'000'000'000);
  poke<std::uint64_t>(bytes, offsetof(wire::Header, start_monotonic), 86'400'000'000'000);
  std::uint64_t time = 0;
  for (std::size_t at = sizeof(wire::Header); at < bytes.size(); at += peek<wire::RecordHead>(bytes, at).size) {
    poke<std::uint64_t>(bytes, at + offsetof(wire::RecordHead, time), time += 1000);
  }
  return bytes;
}

std::string sample_of_today() {
  const TemporaryFolder folder;
  Writer writer;
  EXPECT_FALSE(writer.open(folder.file("t").c_str()));
  write_sample(writer);
  writer.close();
  return without_circumstances(read_bytes(folder.file("t")));
}

std::string text_of(const std::string& path) {
  auto reader = Reader::open(path);
  return reader ? as_text(*reader) : reader.error().what;
}

TEST(Golden, A_file_of_version_1_reads_as_always) {
  EXPECT_EQ(text_of(kGolden + ".dryfit"), read_bytes(kGolden + ".txt"));
}

TEST(Golden, The_writer_still_writes_version_1_byte_by_byte) {
  EXPECT_TRUE(sample_of_today() == read_bytes(kGolden + ".dryfit"));
}

TEST(Golden, DISABLED_Refresh_the_golden_files) {
  write_bytes(kGolden + ".dryfit", sample_of_today());
  write_bytes(kGolden + ".txt", text_of(kGolden + ".dryfit"));
  EXPECT_EQ(read_bytes(kGolden + ".dryfit"), sample_of_today());
}

}  // namespace
}  // namespace dryfit::trace
