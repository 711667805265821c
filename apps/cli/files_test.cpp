// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "work_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Files : public ::testing::Test {
 protected:
  WorkFolder folder_ = WorkFolder::temporary().value();
};

TEST_F(Files, Writing_atomically_replaces_the_file_and_leaves_nothing_else) {
  const auto folder = folder_.path() / "out";
  fs::create_directory(folder);
  const auto path = folder / "out.json";
  ASSERT_TRUE(write_atomically(path, "one"));
  ASSERT_TRUE(write_atomically(path, "two"));
  EXPECT_EQ(read(path), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Files, A_symbolic_link_stays_and_what_it_leads_to_is_written) {
  const auto link = folder_.path() / "link";
  fs::create_directory(folder_.path() / "there");
  fs::create_symlink("there/out.json", link);
  ASSERT_TRUE(check_writable(link));
  ASSERT_TRUE(write_atomically(link, "one"));  // it leads nowhere yet
  ASSERT_TRUE(write_atomically(link, "two"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(folder_.path() / "there/out.json"), "two");
  fs::create_symlink("loop", folder_.path() / "loop");
  EXPECT_FALSE(check_writable(folder_.path() / "loop"));
  EXPECT_FALSE(write_atomically(folder_.path() / "loop", "x"));
}

TEST_F(Files, What_is_no_regular_file_is_written_in_place) {
  const auto pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(check_writable(pipe));
  ASSERT_TRUE(write_atomically(pipe, "one"));
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof(text)), 3);
  EXPECT_STREQ(text, "one");
  EXPECT_TRUE(fs::is_fifo(pipe));
  ::close(reader);
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
