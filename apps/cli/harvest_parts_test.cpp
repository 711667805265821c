// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_parts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/temporary_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

class HarvestPartsTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::app) << text;
  }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "out.jsonl", std::ios::binary).rdbuf();
    return text.str();
  }
  static std::string row(const std::string& key) { return R"({"key":")" + key + "\"}\n"; }

  const TemporaryFolder kept_;
  const fs::path folder_ = kept_.path();
};

TEST_F(HarvestPartsTest, Rows_of_all_parts_are_collected_once) {
  write("out.jsonl", row("a"));
  write("part-0.jsonl", row("a") + row("b"));
  write("part-1.jsonl", row("c") + row("b"));
  write("share-0.json", "no part");
  auto file = HarvestFile::open(folder_ / "out.jsonl");
  HarvestParts parts(folder_);
  const auto added = parts.collect_into(*file);
  ASSERT_TRUE(added) << added.error().what;
  EXPECT_EQ(*added, 2u);
  EXPECT_EQ(content(), row("a") + row("b") + row("c"));
  EXPECT_EQ(*HarvestParts(folder_).collect_into(*file), 0u);
}

TEST_F(HarvestPartsTest, A_part_that_grows_is_read_on) {
  auto file = HarvestFile::open(folder_ / "out.jsonl");
  HarvestParts parts(folder_);
  write("part-0.jsonl", row("a") + R"({"key":"b)");
  EXPECT_EQ(*parts.collect_into(*file), 1u);
  EXPECT_EQ(*parts.collect_into(*file), 0u);
  write("part-0.jsonl", "\"}\n" + row("c"));
  EXPECT_EQ(*parts.collect_into(*file), 2u);
  EXPECT_EQ(content(), row("a") + row("b") + row("c"));
}

TEST_F(HarvestPartsTest, A_line_that_is_not_a_row_is_named_and_the_rows_before_it_are_kept) {
  auto file = HarvestFile::open(folder_ / "out.jsonl");
  write("part-0.jsonl", row("a") + "rubbish\n");
  const auto added = HarvestParts(folder_).collect_into(*file);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().what.find("part-0.jsonl: not a row written by dryfit harvest at byte 12"), std::string::npos)
      << added.error().what;
  EXPECT_TRUE(file->contains("a"));
}

TEST_F(HarvestPartsTest, A_missing_folder_has_no_parts) {
  auto file = HarvestFile::open(folder_ / "out.jsonl");
  EXPECT_EQ(*HarvestParts(folder_ / "missing").collect_into(*file), 0u);
}

}  // namespace
}  // namespace dryfit::cli
