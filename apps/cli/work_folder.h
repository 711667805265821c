// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace dryfit::cli {

/// A folder for one invocation's runs: a private one under TMPDIR (or /tmp) that goes with this object, or one that the
/// user wants to keep.
///
/// Note [Work folders]
/// A private folder also goes if we are ended by SIGHUP, SIGINT, SIGQUIT or SIGTERM, at any moment at which nothing else
/// handles them, and SIGPIPE is ignored while one lives. After SIGKILL nobody is left to remove it. So its owner holds a
/// lock on the file `lock` in it, and the next invocation removes those that nobody holds. The file gets its name once
/// it is locked: a folder without it is of somebody who is still making it.
class WorkFolder {
 public:
  static Result<WorkFolder> temporary();

  /// `path` must not exist, or be an empty folder. Of several invocations at once, one gets it: it holds the file
  /// `unfinished` as long as this object lives.
  static Result<WorkFolder> kept(const std::filesystem::path& path);

  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }
  bool is_kept() const { return keep_; }

 private:
  WorkFolder(std::filesystem::path path, bool keep, UniqueFd lock)
      : path_(std::move(path)), keep_(keep), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  bool keep_;
  UniqueFd lock_;
};

}  // namespace dryfit::cli
