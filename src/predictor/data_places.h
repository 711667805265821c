// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace dryfit::predictor {

/// Where data sets are read from.
struct DataPlaces {
  std::filesystem::path folder;    ///< the public tables
  std::filesystem::path dry_runs;  ///< rows of a harvest, for features made from them: Note [Dry-run base]
};

}  // namespace dryfit::predictor
