// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "card/card.h"

namespace dryfit {

/// Where one number of a card comes from: the text of its `source`, whose first word is the origin.
struct Provenance {
  Origin origin = Origin::derived;
  std::string source;
};

/// A card with what its file says beyond the numbers (docs/cards.md describes the file).
struct CardFile {
  Card card;
  std::vector<std::string> aliases;  ///< further names for this card alone
  std::filesystem::path path;
  /// By the key in the file: "total_memory", "context_memory", "launch_memory", "context_spread",
  /// "gpc_multiprocessors", or an attribute's name. Attributes of the chip are in here too.
  std::map<std::string, Provenance> provenance;
};

/// All cards of the catalogue, by compute capability and then by id.
class Catalogue {
 public:
  /// Reads `folder`/*.toml, then each of `own` (a card file, or a folder of them) in turn. A later card replaces an
  /// earlier one of the same id. Any file that cannot be read or understood is an Error: a silently missing card would
  /// turn into a wrong "unknown card".
  static Result<Catalogue> load(const std::filesystem::path& folder,
                                const std::vector<std::filesystem::path>& own = {});

  const std::vector<CardFile>& cards() const { return cards_; }

  /// The card of exactly this id, or null.
  const CardFile* find(std::string_view id) const;

 private:
  std::vector<CardFile> cards_;
};

}  // namespace dryfit
