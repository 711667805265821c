// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "card/catalogue.h"

namespace dryfit {

/// What a chip file says: the answers that all cards of one compute capability share.
struct Chip {
  std::string architecture;
  std::map<int, int> attributes;
  std::map<std::string, Provenance> provenance;
};

/// Reads card files and the chip files that they name, each chip once.
class CardFileReader {
 public:
  /// A chip is looked for in chips/ beside the card file and then in `chip_folder`.
  explicit CardFileReader(std::filesystem::path chip_folder) : chip_folder_(std::move(chip_folder)) {}

  Result<CardFile> read(const std::filesystem::path& path);

 private:
  std::filesystem::path chip_folder_;
  std::map<std::filesystem::path, Chip> chips_;
};

}  // namespace dryfit
