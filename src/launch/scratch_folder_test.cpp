// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/remove_tree.h"
#include "launch/testing.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

/// The id of a process that is gone.
pid_t gone_process() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return pid;
}

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ScratchFolder, It_is_gone_with_its_object) {
  const TemporaryFolder parent;
  {
    const auto scratch = ScratchFolder::make_in(parent.path());
    ASSERT_TRUE(scratch);
    write_file(scratch->path() / "file", "x");
    EXPECT_EQ(entries_in(parent.path()), 1U);
  }
  EXPECT_EQ(entries_in(parent.path()), 0U);
}

TEST(ScratchFolder, Folders_of_processes_that_were_killed_are_swept) {
  const TemporaryFolder parent;
  const auto left = parent / ("dryfit-scratch-" + std::to_string(gone_process()) + "-abcdef");
  fs::create_directories(left / "0/changes");
  fs::permissions(left / "0", fs::perms::none);
  const auto scratch = ScratchFolder::make_in(parent.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(entries_in(parent.path()), 1U);
}

TEST(ScratchFolder, Folders_in_use_and_those_of_others_are_not_swept) {
  const TemporaryFolder parent;
  const auto first = ScratchFolder::make_in(parent.path());
  fs::create_directory(parent / ("dryfit-scratch-" + std::to_string(::getpid()) + "-abcdef"));
  fs::create_directory(parent / "dryfit-scratch-notes");
  const auto second = ScratchFolder::make_in(parent.path());
  EXPECT_TRUE(fs::exists(first->path()));
  EXPECT_EQ(entries_in(parent.path()), 4U);
}

TEST(ScratchFolder, It_can_be_made_with_nothing_but_defaults) {
  const auto scratch = ScratchFolder::make({});
  ASSERT_TRUE(scratch) << scratch.error().what;
  EXPECT_TRUE(fs::is_directory(scratch->path()));
}

TEST(ScratchFolder, A_folder_that_cannot_be_made_is_an_error) { EXPECT_FALSE(ScratchFolder::make_in("/nonexistent")); }

TEST(RemovingATree, Deep_wide_and_locked_folders_go_and_links_are_not_followed) {
  const TemporaryFolder outside;
  write_file(outside / "file", "x");
  const TemporaryFolder parent;
  auto deep = parent / "tree";
  for (int i = 0; i < 100; ++i) deep /= "d";
  fs::create_directories(deep);
  for (int i = 0; i < 500; ++i) write_file(parent / "tree/d" / std::to_string(i), "x");
  fs::create_directory_symlink(outside.path(), parent / "tree/link");
  fs::permissions(parent / "tree/d/d", fs::perms::none);
  remove_tree(parent.file("tree").c_str());
  EXPECT_FALSE(fs::exists(parent / "tree"));
  EXPECT_TRUE(fs::exists(outside / "file"));
}

}  // namespace
}  // namespace dryfit::launch
