// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/file_window.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dryfit::trace {
namespace {

constexpr std::size_t kReadAhead = 256 * 1024;

}  // namespace

Result<FileWindow> FileWindow::open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return Error{"cannot open '" + path + "': " + std::strerror(errno), ""};
  struct stat status{};
  if (fstat(fd.get(), &status) != 0) return Error{"cannot read '" + path + "': " + std::strerror(errno), ""};
  if (!S_ISREG(status.st_mode)) return Error{"'" + path + "' is not a regular file", "Give a trace file."};
  return FileWindow(std::move(fd));
}

std::uint64_t FileWindow::size() const {
  struct stat status{};
  return fstat(fd_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::span<const std::byte> FileWindow::at(std::uint64_t offset, std::size_t size, std::uint64_t limit) {
  if (!holds(offset, size)) {
    const std::uint64_t ahead = std::min<std::uint64_t>(limit > offset ? limit - offset : 0, kReadAhead);
    load(offset, std::max<std::size_t>(size, ahead));
  }
  if (!holds(offset, size)) return {};
  return std::span(buffer_).subspan(offset - start_, size);
}

bool FileWindow::holds(std::uint64_t offset, std::size_t size) const {
  return offset >= start_ && offset - start_ <= buffer_.size() && size <= buffer_.size() - (offset - start_);
}

void FileWindow::load(std::uint64_t offset, std::size_t size) {
  buffer_.resize(size);
  start_ = offset;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(fd_.get(), buffer_.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  buffer_.resize(done);
}

}  // namespace dryfit::trace
