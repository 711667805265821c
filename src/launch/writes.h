// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "launch/upper_folder.h"

namespace dryfit::launch {

/// What a program wrote in a layer, and what became of it.
struct Writes {
  bool held_back = false;     ///< false: the user's files were written to, and the numbers mean nothing
  std::string why_not;        ///< a clause; empty if held back
  std::uint64_t files = 0;    ///< written or changed, and still there at the end
  std::uint64_t removed = 0;  ///< of the user's files and folders: deleted or renamed
  Bytes bytes;                ///< of those files, as they are at the end
  Bytes largest;
  std::filesystem::path largest_file;          ///< empty if there is no file
  std::vector<std::filesystem::path> refused;  ///< folders in which writing was refused
  std::vector<std::string> trackers;           ///< experiment trackers that kept their records in files: "W&B", …
};

/// Counts what is in the folders of changes. Python's byte code (__pycache__) is left out: every program writes it.
Writes count_changes(std::span<const CoveredFolder> covered);

}  // namespace dryfit::launch
