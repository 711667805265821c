// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/remove_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace dryfit::launch {
namespace {

/// As getdents64(2) gives it.
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

bool is_dots(const char* name) { return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')); }

int open_folder(int parent, const char* name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const int folder = ::openat(parent, name, kFlags);
  if (folder >= 0 || errno != EACCES) return folder;
  ::fchmodat(parent, name, S_IRWXU, 0);
  return ::openat(parent, name, kFlags);
}

void remove_entry(int parent, const char* name);

/// False when the list is at its end.
bool remove_some_entries(int folder) {
  constexpr std::size_t kAtOnce = 2048;
  alignas(DirectoryEntry) char list[kAtOnce];
  const long size = ::syscall(SYS_getdents64, folder, list, sizeof list);
  for (long at = 0; at < size;) {
    const auto* entry = reinterpret_cast<const DirectoryEntry*>(list + at);
    if (!is_dots(entry->name)) remove_entry(folder, entry->name);
    at += entry->size;
  }
  return size > 0;
}

void remove_entries(int folder) {
  ::fchmod(folder, S_IRWXU);
  while (remove_some_entries(folder)) {
  }
}

void remove_entry(int parent, const char* name) {
  if (::unlinkat(parent, name, 0) == 0) return;
  const int folder = open_folder(parent, name);
  if (folder < 0) return;
  // A list that shrinks while it is read may leave something out.
  constexpr int kMostPasses = 3;
  for (int pass = 0; pass < kMostPasses && ::unlinkat(parent, name, AT_REMOVEDIR) != 0; ++pass) {
    ::lseek(folder, 0, SEEK_SET);
    remove_entries(folder);
  }
  ::unlinkat(parent, name, AT_REMOVEDIR);
  ::close(folder);
}

}  // namespace

void remove_tree(const char* path) { remove_entry(AT_FDCWD, path); }

}  // namespace dryfit::launch
