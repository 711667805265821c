// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/growing_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace dryfit::trace {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSmallestStep = std::size_t{64} << 10;
constexpr std::size_t kLargestStep = std::size_t{16} << 20;
constexpr std::size_t kLargestReservation = std::size_t{16} << 30;
constexpr std::size_t kSmallestReservation = std::size_t{1} << 20;
constexpr int kAttempts = 100;

/// While this object lives, no signal handler runs in this thread and it can't be cancelled: a system call is neither
/// interrupted (tmpfs would restart an allocation) nor abandoned half-way with the writer's lock held.
class Undisturbed {
 public:
  Undisturbed() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals_);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
  }
  ~Undisturbed() {
    pthread_setcancelstate(cancel_state_, nullptr);
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sigset_t signals_;
  int cancel_state_ = 0;
};

std::error_code system_error(int number) { return {number, std::system_category()}; }

std::size_t round_to_page(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

rlim_t soft_limit(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// If the user limits the address space, most of it is left to the program.
std::size_t first_reservation() {
  const rlim_t limit = soft_limit(RLIMIT_AS);
  if (limit == RLIM_INFINITY) return kLargestReservation;
  return std::clamp(round_to_page(limit / 32), kSmallestReservation, kLargestReservation);
}

std::string absolute(const char* path) {
  if (path[0] == '/') return path;
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) return path;
  return std::string(folder) + '/' + path;
}

Incomplete reason_of(int error) {
  switch (error) {
    case 0:
      return Incomplete::no;
    case ENOSPC:
    case EDQUOT:
      return Incomplete::disk_full;
    case EFBIG:
      return Incomplete::file_size_limit;
    default:
      return Incomplete::input_output;
  }
}

}  // namespace

std::error_code GrowingFile::create(const char* path, std::size_t bytes) noexcept try {
  const Undisturbed undisturbed;
  path_ = absolute(path);
  const UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  struct stat status{};
  if (!fd || fstat(fd.get(), &status) != 0) return system_error(errno);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  if (const std::error_code error = reserve(fd.get())) return error;
  const int error = grow_to(fd.get(), std::max(bytes, kSmallestStep)) == 0 ? 0 : grow_to(fd.get(), bytes);
  if (error != 0) detach(0);
  return system_error(error);
} catch (...) {
  return system_error(ENOMEM);
}

std::error_code GrowingFile::reserve(int fd) noexcept {
  for (std::size_t size = first_reservation(); size >= kSmallestReservation; size /= 2) {
    void* const range = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (range == MAP_FAILED) continue;
    madvise(range, size, MADV_DONTDUMP);
    data_ = static_cast<std::byte*>(range);
    reserved_ = size;
    return {};
  }
  return system_error(errno);
}

UniqueFd GrowingFile::reopen() const noexcept {
  UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!fd || fstat(fd.get(), &status) != 0) return {};
  const bool same = status.st_dev == device_ && status.st_ino == inode_;
  return same ? std::move(fd) : UniqueFd();
}

int GrowingFile::grow_to(int fd, std::size_t bytes) noexcept {
  if (const rlim_t limit = soft_limit(RLIMIT_FSIZE); limit != RLIM_INFINITY && bytes > limit) return EFBIG;
  int error = EINTR;
  for (int i = 0; error == EINTR && i < kAttempts; ++i) {
    error = posix_fallocate(fd, static_cast<off_t>(capacity_), static_cast<off_t>(bytes - capacity_));
  }
  if (error == 0) capacity_ = bytes;
  return error;
}

Incomplete GrowingFile::make_room(std::size_t bytes) noexcept {
  if (bytes <= capacity_) return Incomplete::no;
  if (bytes > reserved_) return Incomplete::address_space;
  const Undisturbed undisturbed;
  const UniqueFd fd = reopen();
  if (!fd) return Incomplete::input_output;
  const std::size_t step = std::clamp(capacity_, kSmallestStep, kLargestStep);
  const std::size_t generous = std::min(std::max(capacity_ + step, round_to_page(bytes)), reserved_);
  if (grow_to(fd.get(), generous) == 0) return Incomplete::no;
  return reason_of(grow_to(fd.get(), std::min(round_to_page(bytes), reserved_)));
}

void GrowingFile::truncate(std::size_t bytes) noexcept {
  const Undisturbed undisturbed;
  const UniqueFd fd = reopen();
  if (fd && ftruncate(fd.get(), static_cast<off_t>(bytes)) == 0) capacity_ = bytes;
}

void GrowingFile::detach(std::size_t keep) noexcept {
  if (data_ == nullptr) return;
  keep = std::min(round_to_page(keep), reserved_);
  if (keep > 0) {
    constexpr int kNowhere = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    mmap(data_, keep, PROT_READ | PROT_WRITE, kNowhere, -1, 0);
  }
  if (keep < reserved_) munmap(data_ + keep, reserved_ - keep);
  data_ = nullptr;
  capacity_ = 0;
  reserved_ = 0;
}

}  // namespace dryfit::trace
