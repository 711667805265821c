// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/process_tree.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/temporary_folder.h"

namespace dryfit::meter {
namespace {

namespace fs = std::filesystem;

class ProcessTreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    add(10, 1, "dryfit");
    add(11, 10, "python train.py");
    add(12, 11, "odd) S 99 (name");
    add(20, 1, "other");
  }

  void add(int pid, int parent, const std::string& name) const {
    fs::create_directories(proc_ / std::to_string(pid));
    std::ofstream(proc_ / std::to_string(pid) / "stat") << pid << " (" << name << ") S " << parent << " 1 1 0\n";
  }

  const TemporaryFolder folder_;
  const fs::path proc_ = folder_.path();
};

TEST_F(ProcessTreeTest, Children_and_their_children_descend_from_a_process) {
  EXPECT_TRUE(descends_from(11, 10, proc_));
  EXPECT_TRUE(descends_from(12, 10, proc_));
  EXPECT_FALSE(descends_from(20, 10, proc_));
  EXPECT_FALSE(descends_from(10, 10, proc_));
}

TEST_F(ProcessTreeTest, A_process_that_is_gone_descends_from_nobody) { EXPECT_FALSE(descends_from(77, 10, proc_)); }

TEST_F(ProcessTreeTest, A_ring_of_reused_ids_ends) {
  add(30, 31, "a");
  add(31, 30, "b");
  EXPECT_FALSE(descends_from(30, 10, proc_));
}

TEST(ProcessTree, The_kernels_own_files_are_understood) {
  EXPECT_TRUE(descends_from(::getpid(), ::getppid()));
  EXPECT_FALSE(descends_from(::getppid(), ::getpid()));
}

}  // namespace
}  // namespace dryfit::meter
