// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/layer_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "launch/testing.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using StepKind = LayerStep::Kind;

/// A folder as if it were a machine: /home with a disk mounted in it, and /data.
class LayerPlanTest : public testing::Test {
 protected:
  LayerPlanTest() {
    for (const char* name : {"home/me", "home/disk", "data", "scratch", "run"}) fs::create_directories(folder_ / name);
    ground_ = {.mounts = {{folder_ / "data", "xfs"}, {folder_ / "home", "ext4"}, {folder_ / "home/disk", "ext4"}},
               .scratch = folder_ / "scratch",
               .kept = {folder_ / "run"},
               .working_directory = folder_ / "home/me"};
  }

  static std::vector<fs::path> paths_of(const LayerPlan& plan, StepKind kind) {
    std::vector<fs::path> paths;
    for (const auto& step : plan.steps) {
      if (step.kind == kind) paths.emplace_back(step.at);
    }
    return paths;
  }

  TemporaryFolder folder_;
  LayerGround ground_;
};

TEST_F(LayerPlanTest, With_privileges_every_mount_is_covered_below_the_new_root) {
  const auto plan = plan_with_privileges(ground_);
  ASSERT_TRUE(plan);
  std::vector<fs::path> covered;
  for (const auto& each : plan->covered) covered.push_back(each.folder);
  EXPECT_EQ(covered, (std::vector<fs::path>{folder_ / "data", folder_ / "home", folder_ / "home/disk"}));
  const auto root = ground_.scratch / "root";
  EXPECT_EQ(paths_of(*plan, StepKind::cover)[0], root / (folder_ / "data").relative_path());
  EXPECT_EQ(paths_of(*plan, StepKind::change_root), (std::vector<fs::path>{root}));
}

TEST_F(LayerPlanTest, Without_privileges_a_folder_with_a_mount_in_it_is_split_and_frozen) {
  const auto plan = plan_without_privileges(ground_);
  ASSERT_TRUE(plan);
  auto covered = paths_of(*plan, StepKind::cover);
  std::ranges::sort(covered);
  EXPECT_EQ(covered, (std::vector<fs::path>{folder_ / "data", folder_ / "home/disk", folder_ / "home/me"}));
  EXPECT_EQ(paths_of(*plan, StepKind::freeze_folder), (std::vector<fs::path>{folder_ / "home"}));
}

TEST_F(LayerPlanTest, A_folder_around_the_scratch_folder_is_covered_last_and_through_a_view) {
  ground_.mounts = {{folder_.path(), "ext4"}};
  ground_.mounts.push_back({folder_ / "home", "xfs"});
  const auto privileged = plan_with_privileges(ground_);
  ASSERT_TRUE(privileged);
  EXPECT_EQ(paths_of(*privileged, StepKind::cover_through).size(), 1U);
  fs::create_directories(folder_ / "data/scratch");
  ground_.scratch = folder_ / "data/scratch";
  const auto plan = plan_without_privileges(ground_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(paths_of(*plan, StepKind::cover_through), (std::vector<fs::path>{folder_ / "data"}));
}

TEST_F(LayerPlanTest, A_scratch_folder_on_a_mount_of_its_own_needs_no_view) {
  ground_.mounts = {{folder_.path(), "ext4"}, {folder_ / "scratch", "tmpfs"}};
  const auto plan = plan_with_privileges(ground_);
  ASSERT_TRUE(plan);
  EXPECT_EQ(paths_of(*plan, StepKind::cover_through).size(), 1U);
  EXPECT_EQ(paths_of(*plan, StepKind::cover_through)[0].filename(), "scratch");
}

TEST_F(LayerPlanTest, The_scratch_folder_itself_is_not_covered) {
  ground_.mounts = {{folder_.path(), "ext4"}, {folder_ / "home", "ext4"}};
  const auto plan = plan_without_privileges(ground_);
  ASSERT_TRUE(plan);
  for (const auto& covered : plan->covered) EXPECT_NE(covered.folder, ground_.scratch);
}

TEST_F(LayerPlanTest, What_is_read_only_or_of_the_kernel_is_not_covered) {
  ground_.mounts = {{folder_ / "data", "iso9660", true}, {folder_ / "home", "proc"}};
  for (const auto& plan : {plan_with_privileges(ground_), plan_without_privileges(ground_)}) {
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->covered.empty());
  }
}

TEST_F(LayerPlanTest, Kept_folders_are_opened_before_anything_is_covered_and_put_back_after_it) {
  for (const auto& plan : {plan_with_privileges(ground_), plan_without_privileges(ground_)}) {
    ASSERT_TRUE(plan);
    const auto at = [&](StepKind kind) {
      return std::ranges::find(plan->steps, kind, &LayerStep::kind) - plan->steps.begin();
    };
    EXPECT_LT(at(StepKind::open_kept), at(StepKind::cover));
    EXPECT_LT(at(StepKind::cover), at(StepKind::restore_kept));
    EXPECT_EQ(plan->steps.back().kind, StepKind::change_folder);
  }
}

}  // namespace
}  // namespace dryfit::launch
