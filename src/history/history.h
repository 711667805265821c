// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "history/database.h"
#include "history/record.h"

namespace dryfit::history {

/// Which records to select; fields that are not set do not matter.
struct Filter {
  std::optional<std::string> job_id;
  std::optional<std::string> host;
  std::optional<std::string> source;
  std::optional<std::string> card;
  std::optional<std::string> name;
  std::optional<std::int64_t> since;   ///< seconds since 1970, that second included
  std::optional<std::int64_t> before;  ///< the same, not included

  bool is_empty() const;
};

/// What jobs really used: an SQLite file that many processes may write to at once. Not thread-safe.
class History {
 public:
  /// Creates the file and its folder if need be. An Error if the file is damaged, something else, of a newer version,
  /// or locked for longer than half a minute.
  static Result<History> open(const std::filesystem::path& file);

  /// Adds all or, with an Error, none of them; returns how many were new. Records with a job_id, host and source that
  /// are already there are skipped.
  Result<std::size_t> add(std::span<const Record> records);

  /// Ordered by time, then by job_id, host and source.
  Result<std::vector<Record>> find(const Filter& filter = {});

  /// Returns how many were removed.
  Result<std::size_t> remove(const Filter& filter);

 private:
  explicit History(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace dryfit::history
