// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace dryfit::trace {

/// A regular file, read through a window of memory. Copies instead of mapping: if the file becomes shorter while we
/// read, the result is a short read and not a SIGBUS.
class FileWindow {
 public:
  static Result<FileWindow> open(const std::string& path);

  std::uint64_t size() const;

  /// `size` bytes from `offset`, valid until the next call; empty if the file has fewer. Bytes up to `limit` may be
  /// read ahead and kept; they must not change any more.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t size, std::uint64_t limit);

  /// Drops the kept bytes, so that at() reads the file again.
  void forget() { buffer_.clear(); }

 private:
  explicit FileWindow(UniqueFd fd) : fd_(std::move(fd)) {}

  bool holds(std::uint64_t offset, std::size_t size) const;
  void load(std::uint64_t offset, std::size_t size);

  UniqueFd fd_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0;
};

}  // namespace dryfit::trace
