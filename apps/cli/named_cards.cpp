// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "named_cards.h"

#include <algorithm>

#include "card/card_match.h"

namespace dryfit::cli {

Result<std::vector<const CardFile*>> named_cards(const Catalogue& catalogue, const std::vector<std::string>& names) {
  std::vector<const CardFile*> cards;
  for (const auto& name : names) {
    const auto card = match_card(catalogue, name);
    if (!card) return card.error();
    if (std::ranges::find(cards, *card) == cards.end()) cards.push_back(*card);
  }
  return cards;
}

}  // namespace dryfit::cli
