// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "stdin_share.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace dryfit::cli {

StdinShare::StdinShare(std::size_t runs) : kind_(kind_of_stdin(runs)) {}

StdinShare::Kind StdinShare::kind_of_stdin(std::size_t runs) {
  struct stat status{};
  if (runs == 1 || ::fstat(STDIN_FILENO, &status) != 0) return Kind::sole;
  if (::isatty(STDIN_FILENO)) return Kind::terminal;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ? Kind::stream : Kind::file;
}

StdinShare::Given StdinShare::next() {
  const bool first = std::exchange(first_, false);
  switch (kind_) {
    case Kind::sole:
      return {STDIN_FILENO, {}};
    case Kind::terminal:
      return {first ? STDIN_FILENO : -1, {}};
    case Kind::file:
      return reopened();
    case Kind::stream:
      return new_pipe();
  }
  return {};
}

StdinShare::Given StdinShare::reopened() const {
  UniqueFd file(::open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC));
  const off_t position = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (file && position > 0) ::lseek(file.get(), position, SEEK_SET);
  return {file.get(), std::move(file)};
}

StdinShare::Given StdinShare::new_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  readers_.push_back({UniqueFd(ends[1]), 0});
  return {ends[0], UniqueFd(ends[0])};
}

std::vector<StdinShare::Interest> StdinShare::interests() const {
  std::vector<Interest> result;
  if (kind_ == Kind::stream && !at_end_) result.push_back({STDIN_FILENO, true});
  for (const auto& reader : readers_) {
    if (reader.sent < content_.size()) result.push_back({reader.pipe.get(), false});
  }
  return result;
}

void StdinShare::pump() {
  if (kind_ != Kind::stream) return;
  if (!at_end_) read_more();
  std::erase_if(readers_, [this](Reader& reader) { return !feed(reader); });
}

void StdinShare::read_more() {
  struct pollfd input{STDIN_FILENO, POLLIN, 0};
  char buffer[64 * 1024];
  while (::poll(&input, 1, 0) > 0) {
    const ssize_t size = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size <= 0) {
      at_end_ = true;
      return;
    }
    content_.append(buffer, static_cast<std::size_t>(size));
  }
}

/// False when this reader needs no more: it has everything, or has gone.
bool StdinShare::feed(Reader& reader) {
  while (reader.sent < content_.size()) {
    const ssize_t size = ::write(reader.pipe.get(), content_.data() + reader.sent, content_.size() - reader.sent);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    reader.sent += static_cast<std::size_t>(size);
  }
  return !at_end_;
}

}  // namespace dryfit::cli
