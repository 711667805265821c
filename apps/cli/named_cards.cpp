// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "named_cards.h"

#include <algorithm>
#include <optional>
#include <set>

#include "card/card_match.h"
#include "command_options.h"
#include "resources.h"

namespace dryfit::cli {
namespace {

constexpr const char* kList = "Run `dryfit gpus` to list all GPUs.";
constexpr const char* kExample = "rtx-4090";
constexpr const char* kSeveralExamples = "rtx-4090,a100-80gb,h100-80gb";

/// "2xa100-80gb" or "a100-80gb:2".
struct Counted {
  std::string count;
  std::string name;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// The parts before and after one of these letters, if one part is a number and the other a card's name.
std::optional<Counted> counted(const Catalogue& catalogue, const std::string& name) {
  for (std::size_t at = name.find_first_of("xX*:"); at != std::string::npos; at = name.find_first_of("xX*:", at + 1)) {
    const auto before = name.substr(0, at);
    const auto after = name.substr(at + 1);
    if (is_number(before) && match_card(catalogue, after)) return Counted{before, after};
    if (is_number(after) && match_card(catalogue, before)) return Counted{after, before};
  }
  return std::nullopt;
}

/// "a, b" is a list, too.
std::string trimmed(const std::string& name) {
  const auto begin = std::min(name.find_first_not_of(' '), name.size());
  return name.substr(begin, name.find_last_not_of(' ') + 1 - begin);
}

bool is_run(const TypedLine& line) { return !line.words().empty() && line.words().front() == "run"; }

std::string count_hint(const Counted& counted, const std::string& name, const TypedLine& line) {
  if (is_run(line)) {
    return "Give the number with --count: `" +
           line.with(name, counted.name).with_options({"--count", counted.count}).text() + "`.";
  }
  return "This command takes single GPUs. For several, use `dryfit run --count " + counted.count + " --gpu " +
         counted.name + " -- python train.py`.";
}

/// A number or a device of PyTorch is not a kind of GPU.
bool is_device(const std::string& name) { return is_number(name) || name.starts_with("cuda"); }

std::string hint_for_unknown(const std::string& name, const TypedLine& line) {
  if (is_device(name)) return "Name a kind of GPU, for example `" + line.with(name, kExample).text() + "`. " + kList;
  return "Run `dryfit gpus` to list the NVIDIA GPUs that Dryfit knows. To describe your own, see docs/cards.md.";
}

std::string hint_for(const Catalogue& catalogue, const std::string& name, const TypedLine& line) {
  if (std::set<std::string>{"all", "any", "*"}.contains(name)) {
    return "Name the GPUs to try, for example `" + line.with(name, kSeveralExamples).text() + "`. " + kList;
  }
  if (const auto found = counted(catalogue, name)) return count_hint(*found, name, line);
  const auto likely = likely_cards(catalogue, name);
  if (likely.empty()) return hint_for_unknown(name, line);
  return did_you_mean(line, name, likely.front()->card.id) + " " + kList;
}

/// The line with --gpu before its first argument, if that is a GPU: `run rtx-4090 -- python train.py`.
std::optional<TypedLine> with_gpu_named(const TypedLine& line) {
  const auto& words = line.words();
  if (words.size() < 2 || words[1].starts_with("-") || words[1].ends_with(".py")) return std::nullopt;
  if (!names_a_card(words[1])) return std::nullopt;
  return line.with_word(words[1], {"--gpu", words[1]});
}

}  // namespace

bool names_a_card(const std::string& name) {
  const auto resources = find_resources();
  const auto catalogue = resources ? Catalogue::load(resources->cards) : Result<Catalogue>(resources.error());
  return catalogue && !likely_cards(*catalogue, name).empty();
}

Result<std::vector<const CardFile*>> named_cards(const Catalogue& catalogue, const std::vector<std::string>& names) {
  std::vector<const CardFile*> cards;
  for (const auto& name : names) {
    const auto card = match_card(catalogue, trimmed(name));
    if (!card) return wrong_gpu(catalogue, name, card.error(), TypedLine::own());
    if (std::ranges::find(cards, *card) == cards.end()) cards.push_back(*card);
  }
  return cards;
}

Error wrong_gpu(const Catalogue& catalogue, const std::string& name, const Error& why, const TypedLine& line) {
  return {why.what, hint_for(catalogue, name, line)};
}

Error no_gpu(const TypedLine& line) {
  const auto named = with_gpu_named(line);
  const auto complete = with_whole_command(named ? *named : line.with_options({"--gpu", kExample}));
  if (named) return {"no GPU given", did_you_mean(complete)};
  return {"no GPU given", "Name one, for example `" + complete.text() + "`. " + kList};
}

}  // namespace dryfit::cli
