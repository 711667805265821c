// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "launch/mount_table.h"
#include "launch/remove_tree.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNameOfScratch = "dryfit-scratch-";

enum class Storage { disk, memory, unsuitable };

/// File systems on which overlayfs can keep changes, by the numbers of statfs(2).
Storage storage_of(const fs::path& folder) {
  constexpr std::array<unsigned long, 5> kDisks = {0xEF53 /* ext4 */, 0x58465342 /* xfs */, 0x9123683E /* btrfs */,
                                                   0xF2F52010 /* f2fs */, 0xCA451A4E /* bcachefs */};
  constexpr unsigned long kTmpfs = 0x01021994;
  struct statfs status{};
  if (::access(folder.c_str(), W_OK | X_OK) != 0 || ::statfs(folder.c_str(), &status) != 0) return Storage::unsuitable;
  // They separate the options of a mount.
  if (folder.string().find_first_of(",:\\") != std::string::npos) return Storage::unsuitable;
  const auto type = static_cast<unsigned long>(status.f_type) & 0xFFFFFFFF;
  if (type == kTmpfs) return Storage::memory;
  return std::ranges::find(kDisks, type) == kDisks.end() ? Storage::unsuitable : Storage::disk;
}

std::vector<fs::path> candidates(const Environment& environment) {
  std::vector<fs::path> folders;
  const auto add = [&](std::optional<std::string_view> folder, const char* below) {
    if (folder && folder->starts_with('/')) folders.push_back(fs::path(*folder) / below);
  };
  add(value_of(environment, "TMPDIR"), "");
  add("/tmp", "");
  add("/var/tmp", "");
  add(value_of(environment, "HOME"), ".cache");
  add("/dev/shm", "");
  return folders;
}

/// The real path of the best candidate; empty if none will do. A folder with a mount in it may have to be frozen.
fs::path best_parent(const Environment& environment) {
  const auto mounts = own_mounts();
  struct Wish {
    Storage storage;
    bool may_be_split;
  };
  for (const auto& [storage, may_be_split] :
       {Wish{Storage::disk, false}, Wish{Storage::memory, false}, Wish{Storage::disk, true}}) {
    for (const auto& folder : candidates(environment)) {
      std::error_code error;
      const auto real = fs::canonical(folder, error);
      if (error || storage_of(real) != storage) continue;
      if (may_be_split || !has_mount_below(real, mounts)) return real;
    }
  }
  return {};
}

UniqueFd locked(const fs::path& folder) {
  UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(lock) : UniqueFd();
}

bool is_own(const fs::path& folder) {
  struct stat status{};
  return ::lstat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid() && S_ISDIR(status.st_mode);
}

/// "dryfit-scratch-<pid>-XXXXXX" of a process that is gone. The lock alone is not enough: a new folder isn't locked
/// yet. Nor is the process id: it may be of another container.
bool is_left_behind(const fs::path& folder) {
  const auto name = folder.filename().string();
  if (!name.starts_with(kNameOfScratch) || !is_own(folder)) return false;
  pid_t pid = 0;
  std::from_chars(name.data() + kNameOfScratch.size(), name.data() + name.size(), pid);
  const bool is_gone = pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
  return is_gone && locked(folder);
}

void sweep(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (is_left_behind(entry->path())) left.push_back(entry->path());
  }
  for (const auto& folder : left) remove_tree(folder.c_str());
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make(const Environment& environment) {
  const auto parent = best_parent(environment);
  if (parent.empty()) return Error{"no folder for temporary files is on a local file system", ""};
  return make_in(parent);
}

Result<ScratchFolder> ScratchFolder::make_in(const fs::path& parent) {
  sweep(parent);
  auto pattern = (parent / kNameOfScratch).string() + std::to_string(::getpid()) + "-XXXXXX";
  if (!::mkdtemp(pattern.data())) {
    return Error{"cannot create a folder in '" + parent.string() + "': " + std::strerror(errno), ""};
  }
  return ScratchFolder(pattern, locked(pattern));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) remove_tree(path_.c_str());
}

}  // namespace dryfit::launch
