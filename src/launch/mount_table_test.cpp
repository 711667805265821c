// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/mount_table.h"

#include <gtest/gtest.h>

namespace dryfit::launch {
namespace {

constexpr std::string_view kMountsOfATest =
    "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "40 27 8:1 / /my\\040data rw,nosuid shared:4 master:1 - xfs /dev/sda rw\n"
    "41 27 0:33 / /home rw - nfs4 server:/home rw\n"
    "42 41 0:34 / /home ro,relatime - nfs4 other:/home rw\n"
    "43 27 0:35 / /cdrom rw - iso9660 /dev/sr0 ro\n"
    "nonsense\n";

TEST(Mounts, are_ordered_by_path_and_the_last_one_on_a_path_counts) {
  const auto mounts = parse_mounts(kMountsOfATest);
  std::vector<std::string> found;
  for (const auto& each : mounts) found.push_back(each.path.string() + " " + each.file_system);
  EXPECT_EQ(found, (std::vector<std::string>{"/ ext4", "/cdrom iso9660", "/home nfs4", "/my data xfs", "/proc proc"}));
}

TEST(Mounts, are_read_only_by_themselves_or_by_their_file_system) {
  const auto mounts = parse_mounts(kMountsOfATest);
  std::vector<bool> read_only;
  for (const auto& each : mounts) read_only.push_back(each.read_only);
  EXPECT_EQ(read_only, (std::vector<bool>{false, true, true, false, false}));
}

TEST(Mounts, of_the_kernel_hold_no_files) {
  EXPECT_FALSE(holds_files({"/proc", "proc"}));
  EXPECT_TRUE(holds_files({"/tmp", "tmpfs"}));
  EXPECT_TRUE(holds_files({"/home", "nfs4"}));
}

TEST(Mounts, below_a_folder_are_found_by_whole_names) {
  const auto mounts = parse_mounts(kMountsOfATest);
  EXPECT_TRUE(has_mount_below("/", mounts));
  EXPECT_FALSE(has_mount_below("/home", mounts));
  EXPECT_FALSE(has_mount_below("/hom", mounts));
  EXPECT_TRUE(is_within("/home/me", "/home"));
  EXPECT_FALSE(is_within("/home2", "/home"));
  EXPECT_TRUE(is_within("/home", "/"));
}

TEST(Mounts, of_this_process_include_the_root) {
  const auto mounts = own_mounts();
  ASSERT_FALSE(mounts.empty());
  EXPECT_EQ(mounts.front().path, "/");
}

}  // namespace
}  // namespace dryfit::launch
