// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Files : public testing::Test {
 protected:
  WorkFolder folder_ = WorkFolder::temporary().value();
};

TEST_F(Files, A_temporary_folder_is_private_and_goes_with_its_owner) {
  fs::path path;
  {
    const auto other = WorkFolder::temporary();
    ASSERT_TRUE(other);
    path = other->path();
    std::ofstream(path / "x") << "y";
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, A_kept_folder_stays_and_must_be_new_or_empty) {
  const auto path = folder_.path() / "a/b";
  {
    ASSERT_TRUE(WorkFolder::kept(path));
  }
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_TRUE(WorkFolder::kept(path));
  std::ofstream(path / "x") << "y";
  EXPECT_FALSE(WorkFolder::kept(path));
  EXPECT_FALSE(WorkFolder::kept(path / "x"));
}

TEST_F(Files, Writing_atomically_replaces_the_file_and_leaves_nothing_else) {
  const auto path = folder_.path() / "out.json";
  ASSERT_TRUE(write_atomically(path, "one"));
  ASSERT_TRUE(write_atomically(path, "two"));
  EXPECT_EQ(read(path), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1);
}

TEST_F(Files, A_path_that_cannot_be_written_is_known_beforehand) {
  EXPECT_TRUE(check_writable(folder_.path() / "out.json"));
  EXPECT_FALSE(check_writable(folder_.path()));
  EXPECT_FALSE(check_writable(folder_.path() / "missing/out.json"));
  EXPECT_FALSE(write_atomically(folder_.path() / "missing/out.json", "x"));
}

TEST_F(Files, The_last_lines_of_a_file_are_whole_lines) {
  const auto path = folder_.path() / "log";
  std::ofstream(path) << "one\ntwo\nthree\n";
  EXPECT_EQ(last_lines(path, 2), "two\nthree\n");
  EXPECT_EQ(last_lines(path, 9), "one\ntwo\nthree\n");
  std::ofstream(path) << "one\ntwo";
  EXPECT_EQ(last_lines(path, 1), "two");
  std::ofstream(path).close();
  EXPECT_EQ(last_lines(path, 1), "");
  EXPECT_EQ(last_lines(folder_.path() / "none", 1), "");
}

}  // namespace
}  // namespace dryfit::cli
