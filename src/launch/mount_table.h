// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dryfit::launch {

/// What is mounted at a path.
struct MountPoint {
  std::filesystem::path path;
  std::string file_system;  ///< "ext4", "proc", …
  bool read_only = false;
};

/// The mounts that /proc/self/mountinfo lists, in order of path. Of several on one path only the last, which is the one
/// that is seen.
std::vector<MountPoint> parse_mounts(std::string_view mountinfo);

/// Those of this process; empty if they cannot be read.
std::vector<MountPoint> own_mounts();

/// Whether it holds files of users, and not a view of the kernel's.
bool holds_files(const MountPoint& mount);

/// Whether `path` is `folder` or below it. Both are absolute and without dots.
bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Whether one of the mounts is below the folder.
bool has_mount_below(const std::filesystem::path& folder, std::span<const MountPoint> mounts);

}  // namespace dryfit::launch
