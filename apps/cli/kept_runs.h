// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// The last few runs, kept without --save so that the next command can be about them: in $XDG_CACHE_HOME/dryfit/runs or
/// ~/.cache/dryfit/runs. Each is a folder as made by `dryfit run --save`, named after its time; the oldest are deleted.
class KeptRuns {
 public:
  static constexpr std::size_t kMost = 5;

  /// None if the environment does not name such a place.
  static std::optional<KeptRuns> in(const std::vector<std::string>& environment);

  explicit KeptRuns(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Copies the files that later commands read, and deletes the oldest runs beyond kMost. If something cannot be
  /// written, returns an Error and leaves nothing behind.
  Status keep(const std::filesystem::path& run) const;

  /// Remembers a run that left nothing to keep, with its verdict.json, until the next one is kept.
  void remember_unkept(const std::string& verdict) const;

  /// That verdict.json, if the last run was such a one.
  std::optional<std::filesystem::path> unkept() const;

  /// By number: 0 is the last run, 1 the one before it. None if there are fewer.
  std::optional<std::filesystem::path> find(std::size_t number) const;

 private:
  std::vector<std::filesystem::path> all() const;  ///< the newest first
  std::filesystem::path folder_;
};

/// The folder or file that a RUN on the command line means: a path, "last", "last~2", or one GPU of such a
/// run: "last/a100-40gb".
Result<std::filesystem::path> named_run(const std::string& run, const std::vector<std::string>& environment);

}  // namespace dryfit::cli
