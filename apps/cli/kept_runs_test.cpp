// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "kept_runs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A run that says which one it is.
fs::path run(const fs::path& folder, const std::string& text) {
  write(folder / text / "verdict.json", text);
  write(folder / text / "a100-40gb" / "history-7.pickle", text);
  write(folder / text / "a100-40gb" / "output.txt", "what the program printed");
  write(folder / text / "a100-40gb" / "inductor" / "kernel.py", "compiled");
  return folder / text;
}

TEST(KeptRuns, The_last_is_found_first) {
  const TemporaryFolder folder;
  const KeptRuns kept(folder.path() / "runs");
  EXPECT_EQ(kept.find(0), std::nullopt);
  ASSERT_TRUE(kept.keep(run(folder.path(), "one")));
  ASSERT_TRUE(kept.keep(run(folder.path(), "two")));
  EXPECT_EQ(read(*kept.find(0) / "verdict.json"), "two");
  EXPECT_EQ(read(*kept.find(1) / "a100-40gb" / "history-7.pickle"), "one");
  EXPECT_EQ(kept.find(2), std::nullopt);
}

TEST(KeptRuns, Only_what_later_commands_read_is_kept) {
  const TemporaryFolder folder;
  const KeptRuns kept(folder.path() / "runs");
  ASSERT_TRUE(kept.keep(run(folder.path(), "one")));
  EXPECT_FALSE(fs::exists(*kept.find(0) / "a100-40gb" / "output.txt"));
  EXPECT_FALSE(fs::exists(*kept.find(0) / "a100-40gb" / "inductor"));
}

TEST(KeptRuns, The_oldest_go) {
  const TemporaryFolder folder;
  const KeptRuns kept(folder.path() / "runs");
  for (std::size_t i = 0; i < KeptRuns::kMost + 2; ++i) ASSERT_TRUE(kept.keep(run(folder.path(), std::to_string(i))));
  EXPECT_EQ(read(*kept.find(KeptRuns::kMost - 1) / "verdict.json"), "2");
  EXPECT_EQ(kept.find(KeptRuns::kMost), std::nullopt);
}

TEST(KeptRuns, What_cannot_be_written_leaves_nothing_behind) {
  const TemporaryFolder folder;
  write(folder.path() / "runs", "a file in the way");
  const KeptRuns kept(folder.path() / "runs");
  EXPECT_FALSE(kept.keep(run(folder.path(), "one")));
  EXPECT_EQ(read(folder.path() / "runs"), "a file in the way");
}

TEST(KeptRuns, They_are_named_by_how_long_ago_they_were) {
  const TemporaryFolder folder;
  const std::vector<std::string> environment{"XDG_CACHE_HOME=" + folder.path().string()};
  const auto none = named_run("last", environment);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("there is no last run yet"), std::string::npos);
  ASSERT_TRUE(KeptRuns::in(environment)->keep(run(folder.path(), "one")));
  ASSERT_TRUE(named_run("last", environment));
  EXPECT_FALSE(named_run("last~1", environment));
  EXPECT_FALSE(named_run("last~x", environment)) << "a path that is not there";
  EXPECT_EQ(*named_run((folder.path() / "one").string(), environment), folder.path() / "one");
}

TEST(KeptRuns, One_GPU_of_a_run_is_named_behind_a_slash) {
  const TemporaryFolder folder;
  const std::vector<std::string> environment{"XDG_CACHE_HOME=" + folder.path().string()};
  EXPECT_FALSE(named_run("last/a100-40gb", environment)) << "there is no run";
  const auto kept = KeptRuns::in(environment);
  ASSERT_TRUE(kept->keep(run(folder.path(), "one")));
  EXPECT_EQ(*named_run("last/a100-40gb", environment), *kept->find(0) / "a100-40gb");
  const auto other = named_run("last/t4-16gb", environment);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().hint.find("a100-40gb"), std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
