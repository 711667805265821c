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

/// The key of a row; empty: the line is no row of a harvest.
std::string key_in(const std::string& line);

/// The file that a harvest grows: one JSON object a line, each with a "key". One process at a time writes to it.
///
/// A line is appended by one write. What a process that was killed left of its last line is removed at the next start.
class HarvestFile {
 public:
  /// Makes the file if need be. Refuses one that holds something else, or that another process is writing to.
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
