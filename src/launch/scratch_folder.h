// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "launch/environment.h"

namespace dryfit::launch {

/// A new folder for what programs write in a layer, on a file system that can hold the changes of an overlay: TMPDIR,
/// /tmp, /var/tmp or ~/.cache, on a disk rather than in memory. Removed with everything in it.
///
/// It is locked while it is in use. Folders of processes that were killed are swept when the next one is made.
class ScratchFolder {
 public:
  static Result<ScratchFolder> make(const Environment& environment);
  /// In that folder, without a look at its file system.
  static Result<ScratchFolder> make_in(const std::filesystem::path& parent);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder(std::filesystem::path path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace dryfit::launch
