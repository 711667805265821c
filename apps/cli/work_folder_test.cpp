// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "work_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "base/temporary_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

class WorkFolders : public ::testing::Test {
 protected:
  WorkFolders() { ::setenv("TMPDIR", root_.path().c_str(), 1); }
  ~WorkFolders() override { ::unsetenv("TMPDIR"); }

  /// How many there are, whoever made them.
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(root_.path()), fs::directory_iterator()); }

  /// A process that makes a folder with something in it, and gets that signal.
  int status_of_one_ended_by(int signal) const {
    const pid_t child = ::fork();
    if (child == 0) {
      auto folder = WorkFolder::temporary();
      fs::create_directories(folder->path() / "rtx-3060-12gb" / "inductor" / "deep");
      std::ofstream(folder->path() / "rtx-3060-12gb" / "inductor" / "deep" / "kernel.py") << "compiled";
      ::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  TemporaryFolder root_;
};

TEST_F(WorkFolders, A_temporary_one_is_private_and_goes_with_its_owner) {
  fs::path path;
  {
    const auto folder = WorkFolder::temporary();
    ASSERT_TRUE(folder);
    path = folder->path();
    std::ofstream(path / "x") << "y";
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(WorkFolders, A_signal_ends_the_process_and_the_folder) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    const int status = status_of_one_ended_by(signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
    EXPECT_EQ(count(), 0) << signal;
  }
}

TEST_F(WorkFolders, A_reader_that_goes_away_does_not_end_the_process) {
  const int status = status_of_one_ended_by(SIGPIPE);
  EXPECT_TRUE(WIFEXITED(status));
}

TEST_F(WorkFolders, Signals_mean_again_what_they_meant_once_the_last_is_gone) {
  struct sigaction now{};
  {
    const auto one = WorkFolder::temporary(), two = WorkFolder::temporary();
  }
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) {
    ::sigaction(signal, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL) << signal;
  }
}

TEST_F(WorkFolders, What_a_killed_process_left_goes_with_the_next_one_made) {
  const auto mine = WorkFolder::temporary();
  ASSERT_TRUE(WIFSIGNALED(status_of_one_ended_by(SIGKILL)));
  EXPECT_EQ(count(), 2);
  {
    const auto next = WorkFolder::temporary();
  }
  EXPECT_EQ(count(), 1);
  EXPECT_TRUE(fs::exists(mine->path())) << "its owner lives";
}

TEST_F(WorkFolders, A_folder_that_is_not_locked_yet_or_of_somebody_else_stays) {
  fs::create_directories(root_ / "dryfit-abcdef");
  fs::create_directories(root_ / "dryfit-notes" / "lock");
  std::ofstream(root_ / "dryfit-file") << "mine";
  {
    const auto next = WorkFolder::temporary();
  }
  EXPECT_EQ(count(), 3);
}

TEST_F(WorkFolders, One_that_is_kept_stays_and_must_be_new_or_empty) {
  const auto path = root_ / "a/b";
  {
    ASSERT_TRUE(WorkFolder::kept(path));
  }
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_TRUE(fs::is_empty(path));
  EXPECT_TRUE(WorkFolder::kept(path));
  std::ofstream(path / "x") << "y";
  EXPECT_FALSE(WorkFolder::kept(path));
  EXPECT_FALSE(WorkFolder::kept(path / "x"));
}

TEST_F(WorkFolders, Of_many_that_want_the_same_folder_one_gets_it) {
  for (int round = 0; round < 20; ++round) {
    const auto path = root_ / ("run" + std::to_string(round));
    std::vector<std::optional<Result<WorkFolder>>> tried(8);
    {
      std::vector<std::jthread> threads;
      for (auto& each : tried) threads.emplace_back([&] { each.emplace(WorkFolder::kept(path)); });
    }
    const auto got_it = [](const auto& each) { return static_cast<bool>(*each); };
    EXPECT_EQ(std::ranges::count_if(tried, got_it), 1);
    for (const auto& each : tried) {
      if (*each) continue;
      EXPECT_NE(each->error().what.find("another run is being saved"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace dryfit::cli
