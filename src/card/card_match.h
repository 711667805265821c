// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "card/catalogue.h"

namespace dryfit {

/// The one card that a person means by `typed`; it lives as long as the catalogue.
///
/// Case, spaces, dashes, underscores, dots, "nvidia", "geforce", "tesla", "quadro", "rtx" and "gb" do not count. The
/// first rule that finds a card decides; if it finds several, the name is ambiguous:
///   1. the whole id          "a100-80" → a100-80gb
///   2. a whole alias         "3060" → rtx-3060-12gb
///   3. the whole name        "NVIDIA GeForce RTX 4090" → rtx-4090-24gb
///   4. every word is a word of the card's id, aliases or name       "a100 pcie 40"
///   5. every word begins such a word                                "a100 sxm 80"
/// Rules 4 and 5 leave out cards that are called "ti", "super" or "mig" unless the typed name says so too.
///
/// The Error names the candidates of an ambiguous name, and the nearest names for an unknown one.
Result<const CardFile*> match_card(const Catalogue& catalogue, std::string_view typed);

/// The cards that `typed` may mean, the likeliest first: those that it matches, otherwise the few whose names differ
/// from it by no more than a letter in three. None if no name is that near.
std::vector<const CardFile*> likely_cards(const Catalogue& catalogue, std::string_view typed);

}  // namespace dryfit
