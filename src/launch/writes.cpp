// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/writes.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

/// Overlayfs marks what was deleted by a device with the numbers 0 and 0.
bool is_whiteout(const struct stat& status) { return S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0); }

void count_entry(const fs::path& path, const fs::path& seen_as, Writes& writes) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (is_whiteout(status)) ++writes.removed;
  if (!S_ISREG(status.st_mode)) return;
  const Bytes size{static_cast<std::uint64_t>(status.st_size)};
  ++writes.files;
  writes.bytes += size;
  if (size < writes.largest || (size == writes.largest && !writes.largest_file.empty())) return;
  writes.largest = size;
  writes.largest_file = seen_as;
}

void count_folder(const CoveredFolder& covered, Writes& writes) {
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(covered.changes, options, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() == "__pycache__") {
      entry.disable_recursion_pending();
      continue;
    }
    count_entry(entry->path(), covered.folder / entry->path().lexically_relative(covered.changes), writes);
  }
}

}  // namespace

Writes count_changes(std::span<const CoveredFolder> covered) {
  Writes writes{.held_back = true};
  for (const auto& folder : covered) count_folder(folder, writes);
  return writes;
}

}  // namespace dryfit::launch
