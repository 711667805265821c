// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace dryfit::cli {

/// The key of a row; empty if the line is not a row of a harvest.
std::string key_in(const std::string& line);

/// The output of a harvest: one JSON object per line, each with a "key". Only one process writes to it at a time.
///
/// A line is appended with a single write. If a process is killed in the middle of a line, the next start removes the
/// rest of that line.
class HarvestFile {
 public:
  /// Creates the file if needed. Refuses a file that holds something else, or that another process is writing to.
  static Result<HarvestFile> open(const std::filesystem::path& path);

  bool contains(const std::string& key) const { return keys_.contains(key); }
  std::size_t size() const { return keys_.size(); }

  /// `line` is one JSON object without line breaks; `key` is its key.
  Status append(const std::string& key, std::string_view line);

 private:
  HarvestFile(std::filesystem::path path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  Status read_keys();

  std::filesystem::path path_;
  UniqueFd fd_;
  std::set<std::string> keys_;
};

}  // namespace dryfit::cli
