// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace dryfit::cli {

/// The last few runs, kept so that the next command can be about them without anybody having asked for that: in
/// $XDG_CACHE_HOME/dryfit/runs, or ~/.cache/dryfit/runs. Each is a folder as `dryfit run --save` makes it, named after
/// the moment; the oldest go.
class KeptRuns {
 public:
  static constexpr std::size_t kMost = 5;

  /// None where the environment names no such place.
  static std::optional<KeptRuns> in(const std::vector<std::string>& environment);

  explicit KeptRuns(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Copies what later commands read of a run, and drops the oldest beyond kMost. What cannot be written is an Error,
  /// and nothing is left of it.
  Status keep(const std::filesystem::path& run) const;

  /// By number: 0 is the last one, 1 the one before it. None: there are fewer.
  std::optional<std::filesystem::path> find(std::size_t number) const;

 private:
  std::vector<std::filesystem::path> all() const;  ///< the newest first
  std::filesystem::path folder_;
};

/// The folder or file that a RUN on the command line means: a path, "last" or "last~2".
Result<std::filesystem::path> named_run(const std::string& run, const std::vector<std::string>& environment);

}  // namespace dryfit::cli
