// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "typed_line.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "launch/nearest_name.h"
#include "slurm_script.h"

namespace dryfit::cli {
namespace {

constexpr const char* kDashes = "--";

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "-_./:,=+@%~";
  const auto is_plain = [&](unsigned char c) { return std::isalnum(c) || kPlain.find(char(c)) != kPlain.npos; };
  return !word.empty() && word.front() != '~' && std::ranges::all_of(word, is_plain) ? word : quoted(word);
}

/// One of the parts that '=' and ',' separate.
bool replace_part(std::string& whole, std::string_view part, std::string_view replacement) {
  const auto ends_part = [&](std::size_t at) { return at == whole.size() || whole[at] == ',' || whole[at] == '='; };
  for (auto at = whole.find(part); at != std::string::npos; at = whole.find(part, at + 1)) {
    const bool begins = at == 0 || whole[at - 1] == ',' || whole[at - 1] == '=';
    if (!begins || !ends_part(at + part.size())) continue;
    whole.replace(at, part.size(), replacement);
    return true;
  }
  return false;
}

bool is_option(const std::string& word, std::string_view name) {
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

/// The words of an option and its value; the next word is not a value if it is an option itself.
std::pair<std::size_t, std::size_t> find_option(const std::vector<std::string>& words, std::string_view name) {
  const auto found = std::ranges::find_if(words, [&](const std::string& word) { return is_option(word, name); });
  const auto at = static_cast<std::size_t>(found - words.begin());
  if (found == words.end()) return {at, 0};
  const bool has_own_value = found->size() > name.size();
  const bool has_next = found + 1 != words.end() && !(found + 1)->starts_with("-");
  return {at, !has_own_value && has_next ? 2 : 1};
}

}  // namespace

TypedLine TypedLine::own() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  std::string word;
  std::getline(file, word, '\0');
  while (std::getline(file, word, '\0')) words.push_back(word);
  return TypedLine(std::move(words));
}

TypedLine TypedLine::with(std::string_view word, std::string_view replacement) const {
  auto words = words_;
  for (auto& each : words) {
    if (each == kDashes || replace_part(each, word, replacement)) break;
  }
  return TypedLine(std::move(words));
}

TypedLine TypedLine::with_word(std::string_view word, const std::vector<std::string>& by) const {
  auto words = words_;
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) words.insert(words.erase(found), by.begin(), by.end());
  return TypedLine(std::move(words));
}

TypedLine TypedLine::with_in_command(std::string_view word, std::string_view replacement) const {
  auto words = words_;
  const auto dashes = std::ranges::find(words, kDashes);
  const auto found = std::find(dashes == words.end() ? words.begin() : dashes, words.end(), word);
  if (found != words.end()) *found = replacement;
  return TypedLine(std::move(words));
}

TypedLine TypedLine::with_options(const std::vector<std::string>& options) const {
  auto words = words_;
  words.insert(words.begin() + (words.empty() ? 0 : 1), options.begin(), options.end());
  return TypedLine(std::move(words));
}

TypedLine TypedLine::with_option_replaced(std::string_view name, const std::vector<std::string>& by) const {
  auto words = words_;
  const auto [at, count] = find_option(words, name);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
  const auto next = words.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  words.insert(next, by.begin(), by.end());
  return TypedLine(std::move(words));
}

std::optional<TypedLine> TypedLine::with_option_in_command(const std::string& name) const {
  const auto dashes = std::ranges::find(words_, kDashes);
  if (dashes == words_.end() || dashes + 1 == words_.end()) return std::nullopt;
  const auto [at, count] = find_option(words_, name);
  const auto begin = words_.begin() + static_cast<std::ptrdiff_t>(at);
  auto words = with_option_replaced(name, {}).words();
  words.insert(words.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  return TypedLine(std::move(words));
}

std::optional<std::string> TypedLine::value_of(std::string_view name) const {
  const auto [at, count] = find_option(words_, name);
  if (count == 2) return words_[at + 1];
  if (count == 1 && words_[at].size() > name.size()) return words_[at].substr(name.size() + 1);
  return std::nullopt;
}

std::string TypedLine::text() const { return "dryfit" + (words_.empty() ? "" : " " + shell_text(words_)); }

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::string did_you_mean(const TypedLine& line) { return "Did you mean `" + line.text() + "`?"; }

std::string did_you_mean(const TypedLine& line, std::string_view typed, std::string_view meant) {
  const auto corrected = line.with(typed, meant);
  return corrected.words() == line.words() ? "Did you mean '" + std::string(meant) + "'?" : did_you_mean(corrected);
}

Error unknown_word(const std::string& what, const std::string& typed, const std::set<std::string>& names,
                   const std::string& hint) {
  const auto nearest = launch::nearest_name(typed, names);
  const auto question = nearest.empty() ? "" : did_you_mean(TypedLine::own(), typed, nearest) + " ";
  return {"unknown " + what + " '" + typed + "'", question + hint};
}

}  // namespace dryfit::cli
