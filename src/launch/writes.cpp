// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/writes.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

/// Overlayfs marks what was deleted by a device with the numbers 0 and 0.
bool is_whiteout(const struct stat& status) { return S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0); }

/// The folders in which trackers keep what they would otherwise send.
constexpr std::array<std::pair<std::string_view, const char*>, 3> kTrackers = {
    {{"offline-run-", "W&B"}, {".neptune", "Neptune"}, {".cometml-runs", "Comet"}}};

void note_tracker(const fs::path& folder, Writes& writes) {
  const auto name = folder.filename().string();
  for (const auto& [prefix, tracker] : kTrackers) {
    const bool is_new = std::ranges::find(writes.trackers, tracker) == writes.trackers.end();
    if (name.starts_with(prefix) && is_new) writes.trackers.emplace_back(tracker);
  }
}

/// A copy that was made for the program, or a file that was opened for writing and left as it was.
bool is_unchanged(const struct stat& status, const fs::path& original) {
  struct stat real{};
  return ::lstat(original.c_str(), &real) == 0 && real.st_size == status.st_size &&
         real.st_mtim.tv_sec == status.st_mtim.tv_sec && real.st_mtim.tv_nsec == status.st_mtim.tv_nsec;
}

void count_entry(const fs::path& path, const fs::path& seen_as, Writes& writes) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (is_whiteout(status)) ++writes.removed;
  if (S_ISDIR(status.st_mode)) note_tracker(path, writes);
  if (!S_ISREG(status.st_mode) || is_unchanged(status, seen_as)) return;
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
