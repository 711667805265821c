// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/upper_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/bytes.h"

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;

using namespace literals;

constexpr std::size_t kMostEntriesBelow = 2048;
constexpr Bytes kLargestCopy = 8_MiB, kMostCopied = 64_MiB;

struct stat status_of(const fs::path& path) {
  struct stat status{};
  ::lstat(path.c_str(), &status);
  return status;
}

bool is_foreign(const struct stat& status) { return status.st_uid != ::geteuid() || status.st_gid != ::getegid(); }

/// A folder that imitates one which cannot be written to must be opened for a moment.
bool create_in(const CoveredFolder& covered, const fs::path& parent, const fs::path& name) {
  const auto folder = covered.folder / parent / name, changes = covered.changes / parent / name;
  std::error_code error;
  if (fs::exists(changes, error)) return true;
  ::chmod((covered.changes / parent).c_str(), S_IRWXU);
  const bool created = fs::create_directory(changes, error) && imitate(folder, changes);
  return imitate(covered.folder / parent, covered.changes / parent) && created;
}

/// With all folders above it, up to the covered one.
void create(const CoveredFolder& covered, const fs::path& relative) {
  fs::path parent;
  for (const auto& name : relative) {
    if (!create_in(covered, parent, name)) return;
    parent /= name;
  }
}

bool is_foreign_folder(const fs::path& path) {
  const auto status = status_of(path);
  return S_ISDIR(status.st_mode) && is_foreign(status);
}

/// What the program needs to change something in this folder, or the folder itself.
void create_if_foreign(const CoveredFolder& covered, const fs::path& folder) {
  if (folder == covered.folder || ::access(folder.c_str(), W_OK) != 0) return;
  const auto relative = folder.lexically_relative(covered.folder);
  if (is_foreign_folder(folder)) return create(covered, relative);
  if (is_foreign_folder(folder.parent_path())) create(covered, relative.parent_path());
}

/// What is below a folder in which the program is likely to write.
class ForeignEntries {
 public:
  explicit ForeignEntries(const CoveredFolder& covered) : covered_(covered) {}

  void prepare_below(const fs::path& target) {
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    std::size_t seen = 0;
    for (fs::recursive_directory_iterator entry(target, options, error), end; !error && entry != end;
         entry.increment(error)) {
      if (++seen > kMostEntriesBelow) return;
      if (!is_foreign_folder(entry->path())) entry.disable_recursion_pending();
      create_if_foreign(covered_, entry->path());
      copy_if_foreign(entry->path());
    }
  }

 private:
  void copy_if_foreign(const fs::path& file) {
    const auto status = status_of(file);
    const Bytes size{static_cast<std::uint64_t>(status.st_size)};
    if (!S_ISREG(status.st_mode) || !is_foreign(status) || ::access(file.c_str(), R_OK | W_OK) != 0) return;
    if (size > kLargestCopy || copied_ + size > kMostCopied) return;
    const auto relative = file.lexically_relative(covered_.folder);
    create(covered_, relative.parent_path());
    std::error_code error;
    if (!fs::copy_file(file, covered_.changes / relative, error)) return;
    copied_ += size;
    if (!imitate(file, covered_.changes / relative)) fs::remove(covered_.changes / relative, error);
  }

  const CoveredFolder& covered_;
  Bytes copied_;
};

}  // namespace

Status imitate(const fs::path& folder, const fs::path& changes) {
  struct stat real{};
  if (::stat(folder.c_str(), &real) != 0) return Error{"cannot read '" + folder.string() + "'", ""};
  constexpr mode_t kPermissions = 07777, kWriting = 0222;
  const mode_t mode = real.st_mode & (::access(folder.c_str(), W_OK) == 0 ? kPermissions : kPermissions & ~kWriting);
  if (::chown(changes.c_str(), real.st_uid, real.st_gid) != 0) {
    [[maybe_unused]] const int shared = ::chown(changes.c_str(), static_cast<uid_t>(-1), real.st_gid);
  }
  const struct timespec times[2] = {real.st_atim, real.st_mtim};
  if (::chmod(changes.c_str(), mode) != 0 || ::utimensat(AT_FDCWD, changes.c_str(), times, 0) != 0) {
    return Error{"cannot prepare '" + changes.string() + "': " + std::strerror(errno), ""};
  }
  return {};
}

void prepare_foreign_folders(const CoveredFolder& covered, const fs::path& target, bool below) {
  fs::path folder = covered.folder;
  for (const auto& name : target.lexically_relative(covered.folder)) {
    folder /= name;
    if (name != ".") create_if_foreign(covered, folder);
  }
  if (below) ForeignEntries(covered).prepare_below(target);
}

}  // namespace dryfit::launch
