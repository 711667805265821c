// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <ios>
#include <map>
#include <utility>

#include "base/result.h"
#include "harvest_file.h"

namespace dryfit::cli {

/// The files that tasks on other machines write, "part-<number>.jsonl" in a folder. They are only read, and may grow
/// meanwhile: an unfinished line is left for the next time.
class HarvestParts {
 public:
  explicit HarvestParts(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Copies the rows that were not read before and whose keys are not in `file`; returns how many. An Error names the
  /// part and the place of a line that is not a row.
  Result<std::size_t> collect_into(HarvestFile& file);

 private:
  Result<std::size_t> collect(const std::filesystem::path& part, HarvestFile& file);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::streamoff> read_;  ///< how far each part was read
};

}  // namespace dryfit::cli
