// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dryfit::cli {

/// A folder for one invocation's runs: a private one under TMPDIR (or /tmp) that goes with this object, or one that the
/// user wants to keep.
class WorkFolder {
 public:
  static Result<WorkFolder> temporary();

  /// `path` must not exist, or be an empty folder.
  static Result<WorkFolder> kept(const std::filesystem::path& path);

  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }
  bool is_kept() const { return keep_; }

 private:
  WorkFolder(std::filesystem::path path, bool keep) : path_(std::move(path)), keep_(keep) {}
  std::filesystem::path path_;
  bool keep_;
};

/// Writes the whole text or leaves what was there before: through a temporary file beside it. A symbolic link stays and
/// what it leads to is written; anything but a regular file (a pipe, a device) is written in place.
Status write_atomically(const std::filesystem::path& path, std::string_view text);

/// Whether write_atomically() could write there.
Status check_writable(const std::filesystem::path& path);

/// The last `count` lines of a file, at most 64 KiB; empty when there is none.
std::string last_lines(const std::filesystem::path& path, std::size_t count);

}  // namespace dryfit::cli
