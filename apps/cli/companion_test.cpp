// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "companion.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

class CompanionTest : public ::testing::Test {
 protected:
  fs::path add(const std::string& folder, bool may_run = true) const {
    fs::create_directories(folder_ / folder);
    const auto program = folder_ / folder / "dryfit-train";
    std::ofstream(program) << "#!/bin/sh\n";
    fs::permissions(program, may_run ? fs::perms::owner_all : fs::perms::owner_read);
    return program;
  }

  Result<fs::path> found() const {
    return find_companion("dryfit-train", {.executable = folder_ / "stage/dryfit",
                                           .called = folder_ / "bin/dryfit",
                                           .search_path = (folder_ / "a").string() + "::" + (folder_ / "b").string()});
  }

  const TemporaryFolder kept_;
  const fs::path folder_ = kept_.path();
};

TEST_F(CompanionTest, It_is_found_beside_the_program_then_beside_its_link_then_on_the_path) {
  const auto last = add("b");
  EXPECT_EQ(*found(), last);
  const auto beside_link = add("bin");
  EXPECT_EQ(*found(), beside_link);
  const auto beside_program = add("stage");
  EXPECT_EQ(*found(), beside_program);
}

TEST_F(CompanionTest, What_cannot_be_run_is_passed_over) {
  add("stage", false);
  fs::create_directories(folder_ / "bin/dryfit-train");
  const auto program = add("a");
  EXPECT_EQ(*found(), program);
}

TEST_F(CompanionTest, One_that_is_not_there_is_named_with_how_it_is_made) {
  ASSERT_FALSE(found());
  EXPECT_EQ(found().error().what, "the program dryfit-train is not installed");
  EXPECT_NE(found().error().hint.find("make build-training"), std::string::npos);
  EXPECT_NE(find_companion("dryfit-evaluate", {}).error().hint.find("`make build-tests`"), std::string::npos);
}

TEST_F(CompanionTest, A_program_that_cannot_be_started_is_an_error) {
  EXPECT_NE(exec_program(folder_ / "nothing", {"x"}).what.find("cannot start "), std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
