// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/limit_hint.h"
#include "folders_at_exit.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";
constexpr const char* kLockInTheMaking = "lock.new";
constexpr const char* kClaim = "unfinished";

std::string in_quotes(const fs::path& path) { return "'" + path.string() + "'"; }

Error cannot_use(const std::string& what, const fs::path& path, int error, std::string hint = "") {
  if (const auto of_limit = limit_hint(error); !of_limit.empty()) hint = of_limit;
  return {"cannot " + what + " " + in_quotes(path) + ": " + std::strerror(error), std::move(hint)};
}

fs::path temporary_root() {
  const char* folder = std::getenv("TMPDIR");
  return fs::absolute(folder && *folder ? folder : "/tmp");
}

/// None: it can't be locked here, so nobody will take the folder for a stale one either.
UniqueFd locked(const fs::path& folder) {
  UniqueFd lock(::open((folder / kLockInTheMaking).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
    ::rename((folder / kLockInTheMaking).c_str(), (folder / kLock).c_str());
  }
  return lock;
}

bool is_own_folder(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

/// Nobody holds its lock, so whoever made it was killed.
void remove_if_stale(const fs::path& folder) {
  if (!is_own_folder(folder)) return;
  const UniqueFd lock(::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  std::error_code ignored;
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(folder, ignored);
}

void remove_stale(const fs::path& root) {
  std::error_code error;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with("dryfit-")) remove_if_stale(entry->path());
  }
}

/// 0, or errno. EEXIST: somebody else has it.
int claim(const fs::path& folder, UniqueFd& held) {
  held = UniqueFd(::open((folder / kClaim).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  return held ? 0 : errno;
}

void release(const fs::path& folder) { ::unlink((folder / kClaim).c_str()); }

bool has_only_the_claim(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() != kClaim) return false;
  }
  return !error;
}

}  // namespace

Result<WorkFolder> WorkFolder::temporary() {
  const auto root = temporary_root();
  remove_stale(root);
  std::string pattern = (root / "dryfit-XXXXXX").string();
  const FoldersAtExit::Undisturbed undisturbed;
  if (!::mkdtemp(pattern.data())) {
    return cannot_use("make a folder in", root, errno, "Set TMPDIR to a folder with free space that you can write to.");
  }
  FoldersAtExit::add(pattern);
  return WorkFolder(pattern, false, locked(pattern));
}

Result<WorkFolder> WorkFolder::kept(const fs::path& path) {
  const auto absolute = fs::absolute(path);
  constexpr const char* kHint = "Give --save a folder that does not exist yet.";
  std::error_code error;
  if (fs::exists(absolute, error) && !(fs::is_directory(absolute, error) && has_only_the_claim(absolute))) {
    return Error{in_quotes(path) + " exists and is not an empty folder", kHint};
  }
  fs::create_directories(absolute, error);
  if (error) return cannot_use("make the folder", path, error.value());
  UniqueFd held;
  const int refusal = claim(absolute, held);
  if (refusal == EEXIST) {
    return Error{"another run is being saved in " + in_quotes(path) + ", or was killed there", kHint};
  }
  if (refusal != 0) return cannot_use("write into the folder", path, refusal);
  if (!has_only_the_claim(absolute)) {
    release(absolute);
    return Error{in_quotes(path) + " exists and is not an empty folder", kHint};
  }
  FoldersAtExit::add((absolute / kClaim).string());
  return WorkFolder(absolute, true, std::move(held));
}

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), keep_(other.keep_), lock_(std::move(other.lock_)) {}

WorkFolder::~WorkFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  const auto leaving = keep_ ? path_ / kClaim : path_;
  fs::remove_all(leaving, ignored);
  FoldersAtExit::drop(leaving.string());
}

}  // namespace dryfit::cli
