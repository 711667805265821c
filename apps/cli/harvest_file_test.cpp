// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/temporary_folder.h"

namespace dryfit::cli {
namespace {

class HarvestFileTest : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::string content() {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

  const TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "rows.jsonl";
};

TEST_F(HarvestFileTest, A_new_file_grows_by_lines) {
  {
    auto file = HarvestFile::open(path_);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->size(), 0u);
    ASSERT_TRUE(file->append("a", R"({"key":"a"})"));
    EXPECT_TRUE(file->contains("a"));
  }
  EXPECT_EQ(content(), "{\"key\":\"a\"}\n");
}

TEST_F(HarvestFileTest, Existing_keys_are_found_again) {
  write("{\"key\":\"a\",\"job\":{\"key\":\"no\"},\"layers\":[{\"key\":1}]}\n{\"other\":2,\"key\":\"b\"}\n");
  const auto file = HarvestFile::open(path_);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->contains("a"));
  EXPECT_TRUE(file->contains("b"));
  EXPECT_FALSE(file->contains("no"));
}

TEST_F(HarvestFileTest, What_was_cut_off_is_removed) {
  write("{\"key\":\"a\"}\n{\"key\":\"b\",\"la");
  {
    auto file = HarvestFile::open(path_);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->size(), 1u);
    ASSERT_TRUE(file->append("c", R"({"key":"c"})"));
  }
  EXPECT_EQ(content(), "{\"key\":\"a\"}\n{\"key\":\"c\"}\n");
}

TEST_F(HarvestFileTest, A_file_with_something_else_is_refused_and_left_alone) {
  const std::string text = "{\"key\":\"a\"}\nimportant\nunfinished";
  write(text);
  const auto file = HarvestFile::open(path_);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().what.find(":2: not a row written by dryfit harvest"), std::string::npos);
  EXPECT_EQ(content(), text);
}

TEST_F(HarvestFileTest, An_unfinished_line_is_removed_only_if_a_harvest_began_it) {
  for (const std::string text : {"important", "{\"name\":1}", "{\"key"}) {
    write(text);
    EXPECT_EQ(static_cast<bool>(HarvestFile::open(path_)), text == "{\"key") << text;
    EXPECT_EQ(content(), text == "{\"key" ? "" : text);
  }
}

TEST_F(HarvestFileTest, Two_harvests_do_not_write_to_one_file) {
  const auto first = HarvestFile::open(path_);
  ASSERT_TRUE(first);
  const auto second = HarvestFile::open(path_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find("another `dryfit harvest`"), std::string::npos);
}

TEST_F(HarvestFileTest, A_missing_folder_is_an_error) {
  EXPECT_FALSE(HarvestFile::open("/there/is/no/folder/jobs.jsonl"));
}

}  // namespace
}  // namespace dryfit::cli
