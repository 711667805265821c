// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "recorded_addresses.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "work_folder.h"

namespace dryfit::cli {
namespace {

/// A folder of each test's own: tests run side by side.
class RecordedAddresses : public ::testing::Test {
 protected:
  std::filesystem::path file_with(const std::string& text) const {
    const auto path = folder_.path() / "segments.txt";
    std::ofstream(path) << text;
    return path;
  }

 private:
  WorkFolder folder_ = WorkFolder::temporary().value();
};

TEST_F(RecordedAddresses, Each_line_is_a_segment_in_the_order_of_the_file) {
  const auto segments = read_recorded_segments(file_with("20971520 0x507000000\n2097152 502000000\n"));
  ASSERT_TRUE(segments) << segments.error().what;
  ASSERT_EQ(segments->size(), 2u);
  EXPECT_EQ((*segments)[0].size, Bytes{20971520});
  EXPECT_EQ((*segments)[0].address, 0x507000000u);
  EXPECT_EQ((*segments)[1].address, 0x502000000u);
}

TEST_F(RecordedAddresses, A_line_that_is_no_segment_is_named) {
  for (const std::string line : {"x 0x502000000", "2097152", "2097152 0x502000000 3", "2097151 0x502000000",
                                 "2097152 0x502000200", "0 0x502000000", ""}) {
    const auto segments = read_recorded_segments(file_with("2097152 0x502000000\n" + line + "\n"));
    ASSERT_FALSE(segments) << line;
    EXPECT_NE(segments.error().what.find(":2: '" + line + "'"), std::string::npos) << segments.error().what;
  }
}

TEST_F(RecordedAddresses, A_missing_file_is_named) {
  const auto segments = read_recorded_segments("/nonexistent/segments.txt");
  ASSERT_FALSE(segments);
  EXPECT_NE(segments.error().what.find("/nonexistent/segments.txt"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
