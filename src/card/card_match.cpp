// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/card_match.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dryfit {
namespace {

using Words = std::vector<std::string>;
using Candidates = std::vector<const CardFile*>;

constexpr std::size_t kMostListed = 8;
constexpr std::size_t kMostSuggested = 3;
constexpr std::string_view kForgivenWords[] = {"nvidia", "geforce", "tesla", "quadro", "rtx", "gpu"};
constexpr std::string_view kVariantWords[] = {"ti", "super", "mig"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "rtx3060" → "3060", "geforcertx" → "".
void drop_forgiven_beginnings(std::string& word) {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (const auto forgiven : kForgivenWords) {
      if (!word.starts_with(forgiven)) continue;
      word.erase(0, forgiven.size());
      dropped = true;
    }
  }
}

/// "80gb" → "80", "80g" → "80".
void drop_unit(std::string& word) {
  for (const std::string_view unit : {"gib", "gb", "g"}) {
    const auto size = word.size() - std::min(word.size(), unit.size());
    if (size > 0 && word.ends_with(unit) && is_digit(word[size - 1])) {
      const bool is_model = unit == "g" && !std::all_of(word.begin(), word.begin() + static_cast<long>(size), is_digit);
      if (!is_model) word.resize(size);
      return;
    }
  }
}

void finish_word(Words& words, std::string& word) {
  drop_forgiven_beginnings(word);
  drop_unit(word);
  if (word == "gb" || word == "gib") word.clear();
  if (!word.empty()) words.push_back(std::move(word));
  word.clear();
}

Words words_of(std::string_view text) {
  Words words;
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte)) {
      word += static_cast<char>(std::tolower(byte));
    } else {
      finish_word(words, word);
    }
  }
  finish_word(words, word);
  return words;
}

std::string squeezed(std::string_view text) {
  const auto words = words_of(text);
  return std::accumulate(words.begin(), words.end(), std::string());
}

bool contains(const Words& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

Words all_words(const CardFile& file) {
  auto words = words_of(file.card.id + " " + file.card.name);
  for (const auto& alias : file.aliases) {
    for (auto& word : words_of(alias)) words.push_back(std::move(word));
  }
  return words;
}

bool all_equal(const Words& typed, const Words& of_card) {
  return std::ranges::all_of(typed, [&](const std::string& word) { return contains(of_card, word); });
}

bool all_begin(const Words& typed, const Words& of_card) {
  return std::ranges::all_of(typed, [&](const std::string& word) {
    return std::ranges::any_of(of_card, [&](const std::string& whole) { return whole.starts_with(word); });
  });
}

Candidates cards_where(const Catalogue& catalogue, const std::function<bool(const CardFile&)>& matches) {
  Candidates found;
  for (const auto& file : catalogue.cards()) {
    if (matches(file)) found.push_back(&file);
  }
  return found;
}

/// "3060 8gb" must not find a 3060 Ti.
bool is_other_variant(const Words& typed, const Words& of_card) {
  return std::ranges::any_of(
      kVariantWords, [&](std::string_view variant) { return contains(of_card, variant) && !contains(typed, variant); });
}

template <class WordRule>
Candidates cards_by_words(const Catalogue& catalogue, const Words& typed, WordRule rule) {
  return cards_where(catalogue, [&](const CardFile& file) {
    const auto words = all_words(file);
    return rule(typed, words) && !is_other_variant(typed, words);
  });
}

Candidates candidates_for(const Catalogue& catalogue, std::string_view typed) {
  const auto words = words_of(typed);
  if (words.empty()) return {};
  const auto key = squeezed(typed);
  auto found = cards_where(catalogue, [&](const CardFile& file) { return squeezed(file.card.id) == key; });
  if (!found.empty()) return found;
  found = cards_where(catalogue, [&](const CardFile& file) {
    return std::ranges::any_of(file.aliases, [&](const std::string& alias) { return squeezed(alias) == key; });
  });
  if (!found.empty()) return found;
  found = cards_where(catalogue, [&](const CardFile& file) { return squeezed(file.card.name) == key; });
  if (!found.empty()) return found;
  found = cards_by_words(catalogue, words, all_equal);
  if (!found.empty()) return found;
  return cards_by_words(catalogue, words, all_begin);
}

/// How many letters to insert, drop, change or swap with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      auto& least = edits[i][j];
      least = std::max(i, j);
      if (i == 0 || j == 0) continue;
      const auto changed = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      least = std::min({changed, edits[i - 1][j] + 1, edits[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) least = std::min(least, edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

std::size_t distance(const CardFile& file, std::string_view key) {
  auto nearest = std::min(edit_distance(squeezed(file.card.id), key), edit_distance(squeezed(file.card.name), key));
  for (const auto& alias : file.aliases) nearest = std::min(nearest, edit_distance(squeezed(alias), key));
  return nearest;
}

Candidates nearest_cards(const Catalogue& catalogue, std::string_view typed) {
  const auto key = squeezed(typed);
  const auto allowed = (key.size() + 2) / 3;
  std::vector<std::pair<std::size_t, const CardFile*>> ranked;
  for (const auto& file : catalogue.cards()) {
    if (const auto edits = distance(file, key); edits <= allowed) ranked.emplace_back(edits, &file);
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.first; });
  ranked.resize(std::min(ranked.size(), kMostSuggested));
  Candidates nearest;
  for (const auto& entry : ranked) nearest.push_back(entry.second);
  return nearest;
}

std::string listed(const Candidates& cards) {
  std::string text;
  for (std::size_t i = 0; i < std::min(cards.size(), kMostListed); ++i) {
    text += (i == 0 ? "" : ", ") + cards[i]->card.id;
  }
  if (cards.size() > kMostListed) text += " and " + std::to_string(cards.size() - kMostListed) + " more";
  return text;
}

Error ambiguous(std::string_view typed, const Candidates& found) {
  return {"'" + std::string(typed) + "' could be any of " + std::to_string(found.size()) + " GPUs: " + listed(found),
          "Give the full name of one."};
}

Error unknown(const Catalogue& catalogue, std::string_view typed) {
  const auto nearest = nearest_cards(catalogue, typed);
  const auto question = nearest.empty() ? std::string() : "Did you mean " + listed(nearest) + "? ";
  return {"unknown GPU '" + std::string(typed) + "'", question + "Run `dryfit gpus` to list all GPUs."};
}

}  // namespace

Result<const CardFile*> match_card(const Catalogue& catalogue, std::string_view typed) {
  const auto found = candidates_for(catalogue, typed);
  if (found.size() == 1) return found.front();
  if (found.size() > 1) return ambiguous(typed, found);
  return unknown(catalogue, typed);
}

std::vector<const CardFile*> likely_cards(const Catalogue& catalogue, std::string_view typed) {
  auto found = candidates_for(catalogue, typed);
  if (found.empty()) return nearest_cards(catalogue, typed);
  const auto is_whole = [](const CardFile* file) { return file->card.id.find("-mig-") == std::string::npos; };
  std::ranges::stable_partition(found, is_whole);
  return found;
}

}  // namespace dryfit
