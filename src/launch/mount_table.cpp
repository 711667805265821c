// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/mount_table.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 22> kKernelViews = {
    "autofs",   "binfmt_misc", "bpf",        "cgroup",    "cgroup2", "configfs", "debugfs", "devpts",
    "devtmpfs", "efivarfs",    "fusectl",    "hugetlbfs", "mqueue",  "nsfs",     "proc",    "pstore",
    "ramfs",    "rpc_pipefs",  "securityfs", "selinuxfs", "sysfs",   "tracefs"};

bool is_octal(char letter) { return letter >= '0' && letter <= '7'; }

/// The kernel writes a space, a tab, a newline and a backslash as \ooo.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped =
        text[i] == '\\' && i + 3 < text.size() && std::all_of(&text[i + 1], &text[i + 1] + 3, is_octal);
    if (!escaped) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

bool says_read_only(const std::string& options) { return options == "ro" || options.starts_with("ro,"); }

/// "27 1 254:0 / /home rw,relatime shared:1 - ext4 /dev/vda rw".
std::optional<MountPoint> parse_mount(const std::string& line) {
  std::istringstream words(line);
  std::string number, parent, device, root, path, options, word, file_system, source, of_file_system;
  words >> number >> parent >> device >> root >> path >> options;
  while (words >> word && word != "-") {
  }
  words >> file_system >> source >> of_file_system;
  if (file_system.empty()) return std::nullopt;
  return MountPoint{without_escapes(path), file_system, says_read_only(options) || says_read_only(of_file_system)};
}

}  // namespace

std::vector<MountPoint> parse_mounts(std::string_view mountinfo) {
  std::map<fs::path, MountPoint> by_path;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    if (auto mount = parse_mount(line)) by_path[mount->path] = *mount;
  }
  std::vector<MountPoint> mounts;
  for (auto& [path, mount] : by_path) mounts.push_back(std::move(mount));
  return mounts;
}

std::vector<MountPoint> own_mounts() {
  std::ifstream file("/proc/self/mountinfo");
  return parse_mounts(std::string(std::istreambuf_iterator<char>(file), {}));
}

bool holds_files(const MountPoint& mount) {
  return std::ranges::find(kKernelViews, mount.file_system) == kKernelViews.end();
}

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool has_mount_below(const fs::path& folder, std::span<const MountPoint> mounts) {
  return std::ranges::any_of(
      mounts, [&](const MountPoint& mount) { return mount.path != folder && is_within(mount.path, folder); });
}

}  // namespace dryfit::launch
