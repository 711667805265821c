// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace dryfit::meter {

/// What PyTorch counted in one process on one card.
struct TorchNote {
  std::string card;  ///< CUDA's name for it
  Bytes reserved_peak;
  std::uint64_t ooms = 0;                       ///< how often it ran out of memory
  std::map<std::string, std::string> software;  ///< "torch" → "2.6.0"
};

/// Reads all files that the hooks left in a folder (python/dryfit/hooks/_dryfit_observe.py). Files that are incomplete,
/// because the process was killed, or hold something else are ignored.
std::vector<TorchNote> read_torch_notes(const std::filesystem::path& folder);

}  // namespace dryfit::meter
