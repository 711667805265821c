// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/layer_steps.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dryfit::launch {
namespace {

using Kind = LayerStep::Kind;

bool write_text(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const bool written = ::write(file, text, static_cast<std::size_t>(size)) == size;
  const int error = errno;
  ::close(file);
  errno = error;
  return written;
}

bool take_own_user(const LayerStep& step) {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/gid_map", step.options.c_str()) &&
         write_text("/proc/self/uid_map", step.from.c_str());
}

bool mount_empty(const char* at) { return ::mount("dryfit", at, "tmpfs", MS_RDONLY, "size=4k,mode=755") == 0; }

/// The lower folder is given as the working directory: its own name may contain what separates options.
bool mount_overlay(const char* lower, const char* at, const char* options) {
  return ::chdir(lower) == 0 && ::mount("dryfit", at, "overlay", 0, options) == 0;
}

/// Overlayfs refuses an upper folder inside the lower one. It compares folders of one file system, and a view of the
/// lower folder through an overlay without an upper one is another file system.
bool mount_overlay_through(const LayerStep& step) {
  constexpr std::size_t kLongest = 8192;
  constexpr char kBegin[] = "userxattr,lowerdir=.:";
  char options[kLongest];
  if (sizeof kBegin + step.empty.size() > kLongest) return errno = ENAMETOOLONG, false;
  std::memcpy(options, kBegin, sizeof kBegin - 1);
  std::memcpy(options + sizeof kBegin - 1, step.empty.c_str(), step.empty.size() + 1);
  return mount_overlay(step.from.c_str(), step.through.c_str(), options) &&
         mount_overlay(step.through.c_str(), step.at.c_str(), step.options.c_str());
}

bool bind_all(const char* from, const char* at) { return ::mount(from, at, nullptr, MS_BIND | MS_REC, nullptr) == 0; }

/// Unlike a remount, this keeps the other attributes, which a user namespace may not take away.
bool freeze(const char* at) {
  struct {
    std::uint64_t set, clear, propagation, user_namespace;
  } attributes = {1 /* MOUNT_ATTR_RDONLY */, 0, 0, 0};
  constexpr long kMountSetattr = 442;
  return ::syscall(kMountSetattr, AT_FDCWD, at, 0U, &attributes, sizeof attributes) == 0;
}

bool freeze_folder(const char* at) { return bind_all(at, at) && freeze(at); }

bool swap_roots() { return ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0; }

/// A root that is no mount, as in a chroot, cannot be swapped.
bool change_root(const char* at) {
  return ::chdir(at) == 0 && (swap_roots() || ::chroot(".") == 0) && ::chdir("/") == 0;
}

/// The folders that stay real while others are mounted over them.
class KeptFolders {
 public:
  KeptFolders() = default;
  KeptFolders(const KeptFolders&) = delete;
  KeptFolders& operator=(const KeptFolders&) = delete;
  ~KeptFolders() {
    for (std::size_t i = 0; i < opened_; ++i) ::close(folders_[i]);
  }

  bool open(const char* path) {
    if (opened_ == kMostKept) return errno = E2BIG, false;
    const int folder = ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    folders_[opened_++] = folder;
    return true;
  }

  bool restore_next(const char* at) {
    char name[] = "/proc/self/fd/0000000000";
    char* digit = name + sizeof name - 2;
    for (int number = folders_[restored_++]; number > 0; number /= 10) *digit-- = static_cast<char>('0' + number % 10);
    return bind_all(without_zeros(name), at);
  }

 private:
  static const char* without_zeros(char* name) {
    char* const first = name + std::strlen("/proc/self/fd/");
    const char* digits = first;
    while (*digits == '0' && digits[1] != '\0') ++digits;
    std::memmove(first, digits, std::strlen(digits) + 1);
    return name;
  }

  int folders_[kMostKept] = {};
  std::size_t opened_ = 0;
  std::size_t restored_ = 0;
};

bool take(const LayerStep& step, KeptFolders& kept) {
  const char* const at = step.at.c_str();
  switch (step.kind) {
    case Kind::own_mounts:
      return ::unshare(CLONE_NEWNS) == 0;
    case Kind::own_user:
      return take_own_user(step);
    case Kind::part_mounts:
      return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    case Kind::empty_folder:
      return mount_empty(at);
    case Kind::open_kept:
      return kept.open(step.from.c_str());
    case Kind::restore_kept:
      return kept.restore_next(at);
    case Kind::cover:
      return mount_overlay(step.from.c_str(), at, step.options.c_str());
    case Kind::cover_through:
      return mount_overlay_through(step);
    case Kind::bind:
      return bind_all(step.from.c_str(), at);
    case Kind::freeze:
      return freeze(at);
    case Kind::freeze_folder:
      return freeze_folder(at);
    case Kind::change_root:
      return change_root(at);
    case Kind::change_folder:
      return ::chdir(at) == 0;
  }
  return false;
}

bool freeze_uncovered(const LayerStep& step) {
  return bind_all(step.from.c_str(), step.at.c_str()) && freeze(step.at.c_str());
}

}  // namespace

bool enter_layer(std::span<const LayerStep> steps, LayerListener listener) {
  KeptFolders kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (take(steps[i], kept)) continue;
    const int error = errno;
    const bool is_frozen = steps[i].freeze_instead && freeze_uncovered(steps[i]);
    const auto kind = is_frozen ? LayerNews::Kind::frozen : LayerNews::Kind::failed;
    listener.hear({kind, static_cast<std::int32_t>(i), error}, listener.pipe);
    if (!is_frozen) return false;
  }
  return true;
}

}  // namespace dryfit::launch
