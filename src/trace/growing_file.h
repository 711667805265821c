// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <system_error>

#include "base/unique_fd.h"
#include "trace/format.h"

namespace dryfit::trace {

/// A new file, mapped at an address that never changes while it grows. Nothing throws. Not thread-safe.
///
///   data()               data() + capacity()                        data() + reserved
///   | room in the file, may be touched | address range without a file: must not be touched |
///
/// Room is allocated on the disk before it is touched, so a full disk is an error from make_room() and not a SIGBUS; a
/// limit on the file size is looked up first, so there is no SIGXFSZ. No descriptor is kept: the program around us may
/// close any it finds, and open its own under the same number. To grow, the file is therefore opened again by its
/// path and checked to be the same.
class GrowingFile {
 public:
  /// Creates the file with room for `bytes`.
  std::error_code create(const char* path, std::size_t bytes) noexcept;

  bool is_mapped() const noexcept { return data_ != nullptr; }
  std::byte* data() const noexcept { return data_; }
  std::size_t capacity() const noexcept { return capacity_; }

  /// Makes capacity() at least `bytes`, or returns why that is impossible and leaves it unchanged.
  Incomplete make_room(std::size_t bytes) noexcept;

  /// Truncates the file to its first `bytes`. Nothing may be written beyond them afterwards.
  void truncate(std::size_t bytes) noexcept;

  /// Lets go of the file, unchanged. The first `keep` bytes of the mapping become private memory at the same
  /// address, so that writes through old pointers have no effect; this memory is never freed.
  void detach(std::size_t keep) noexcept;

 private:
  std::error_code reserve(int fd) noexcept;
  UniqueFd reopen() const noexcept;
  int grow_to(int fd, std::size_t bytes) noexcept;

  std::string path_;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t reserved_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace dryfit::trace
