// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/limit_hint.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

Error cannot(const std::string& what, const fs::path& path, int error, std::string hint = "") {
  if (hint.empty()) hint = limit_hint(error);
  return {"cannot " + what + " " + quoted(path) + ": " + std::strerror(error), std::move(hint)};
}

/// 0, or errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::write(fd, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return 0;
}

/// Where a path leads to; what it names need not exist yet.
struct Resolved {
  fs::path path;
  int error = 0;

  explicit operator bool() const { return error == 0; }
};

Resolved resolved(fs::path path) {
  static constexpr int kMostLinks = 40;
  path = fs::absolute(path);
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(path, error))) return {path};
    const auto next = fs::read_symlink(path, error);
    if (error) return {path, error.value()};
    path = path.parent_path() / next;
  }
  return {path, ELOOP};
}

/// Puts a new file in the place of the old one, if any. 0, or errno.
int replace(const fs::path& path, std::string_view text) {
  std::string temporary = path.string() + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return errno;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = ::fchmod(fd, 0666 & ~mask) == 0 ? write_all(fd, text) : errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  return error;
}

/// For anything but a regular file: a pipe, a terminal, a device. 0, or errno.
int write_in_place(const fs::path& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return errno;
  int error = write_all(fd, text);
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

Status write_atomically(const fs::path& path, std::string_view text) {
  const auto target = resolved(path);
  if (!target) return cannot("write", path, target.error);
  std::error_code ignored;
  const auto type = fs::status(target.path, ignored).type();
  const bool is_replaced = type == fs::file_type::regular || type == fs::file_type::not_found;
  const int error = is_replaced ? replace(target.path, text) : write_in_place(target.path, text);
  return error == 0 ? Status() : cannot("write", path, error);
}

Status check_writable(const fs::path& path) {
  const auto target = resolved(path);
  if (!target) return cannot("write", path, target.error);
  std::error_code ignored;
  const auto status = fs::status(target.path, ignored);
  if (fs::is_directory(status)) return cannot("write", path, EISDIR, "Give a file name.");
  const bool in_place = fs::exists(status) && !fs::is_regular_file(status);
  const int allowed =
      in_place ? ::access(target.path.c_str(), W_OK) : ::access(target.path.parent_path().c_str(), W_OK | X_OK);
  return allowed == 0 ? Status() : cannot("write", path, errno);
}

std::string last_lines(const fs::path& path, std::size_t count) {
  static constexpr std::streamoff kMost = 64 * 1024;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(0, size - kMost));
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::size_t begin = text.size() - (text.ends_with('\n') ? 1 : 0);
  for (std::size_t lines = 0; lines < count && begin != std::string::npos && begin > 0; ++lines) {
    begin = text.rfind('\n', begin - 1);
  }
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

}  // namespace dryfit::cli
