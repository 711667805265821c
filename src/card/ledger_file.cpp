// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/ledger_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/unique_fd.h"

namespace dryfit::ledger {
namespace {

constexpr auto kSize = static_cast<off_t>(sizeof(Whole));

/// A file that grows beyond the limit is a SIGXFSZ, and a page without disk space behind it a SIGBUS.
int make_room(int file) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(kSize)) return EFBIG;
  int error = EINTR;
  while (error == EINTR) error = posix_fallocate(file, 0, kSize);
  return error;
}

bool is_whole(int file) noexcept {
  struct stat status{};
  return fstat(file, &status) == 0 && status.st_size >= kSize;
}

void* map(int file, int protection) noexcept {
  void* const place = mmap(nullptr, sizeof(Whole), protection, MAP_SHARED, file, 0);
  return place == MAP_FAILED ? nullptr : place;
}

}  // namespace

Whole* open(const char* path, std::string& problem) {
  const UniqueFd file(::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  int error = file ? 0 : errno;
  if (error == 0 && !is_whole(file.get())) error = make_room(file.get());
  void* const place = error == 0 ? map(file.get(), PROT_READ | PROT_WRITE) : nullptr;
  if (!place) problem = std::string("its file cannot be used: ") + std::strerror(error == 0 ? errno : error);
  return static_cast<Whole*>(place);
}

const Whole* open_to_read(const char* path) noexcept {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file && is_whole(file.get()) ? static_cast<const Whole*>(map(file.get(), PROT_READ)) : nullptr;
}

std::string path_beside(const char* machine_file) {
  const std::string_view path = machine_file;
  const auto slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash + 1)) + "ledger";
}

}  // namespace dryfit::ledger
