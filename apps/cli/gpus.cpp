// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>

#include "card/card_match.h"
#include "card/catalogue.h"
#include "commands.h"
#include "common_options.h"
#include "report/table.h"
#include "resources.h"
#include "screen.h"

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMultiprocessorCount = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT

struct GpusOptions {
  std::string filter;
  std::vector<fs::path> cards;
  bool json = false;
};

const char* origin_word(const CardFile& card, const std::string& key) {
  const auto found = card.provenance.find(key);
  switch (found == card.provenance.end() ? Origin::derived : found->second.origin) {
    case Origin::measured:
      return "measured";
    case Origin::vendor:
      return "vendor";
    case Origin::derived:
      return "derived";
  }
  return "derived";
}

/// Letters and digits only, in lower case: "RTX 3060" and "rtx-3060" are the same.
std::string plain(const std::string& text) {
  std::string result;
  for (const unsigned char c : text) {
    if (std::isalnum(c)) result += static_cast<char>(std::tolower(c));
  }
  return result;
}

bool matches(const CardFile& card, const std::string& filter) {
  const auto wanted = plain(filter);
  const auto has = [&](const std::string& text) { return plain(text).find(wanted) != std::string::npos; };
  return has(card.card.id) || has(card.card.name) || has(card.card.architecture) ||
         std::ranges::any_of(card.aliases, has);
}

std::vector<const CardFile*> chosen(const Catalogue& catalogue, const std::string& filter) {
  std::vector<const CardFile*> result;
  for (const auto& card : catalogue.cards()) {
    if (matches(card, filter)) result.push_back(&card);
  }
  return result;
}

std::string capability_text(const Card& card) {
  return fmt::format("{}.{}", card.compute_capability.major, card.compute_capability.minor);
}

std::vector<report::Cell> heading() {
  using enum report::Align;
  std::vector<report::Cell> cells{{"id"},          {"name"},       {"memory", right},       {"from"},
                                  {"chip", right}, {"SMs", right}, {"idle context", right}, {"from"}};
  for (auto& cell : cells) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  return cells;
}

std::vector<report::Cell> row(const CardFile& file) {
  using enum report::Align;
  const auto& card = file.card;
  return {{card.id},
          {.text = card.name, .shrinks = true},
          {to_text(card.total_memory), right},
          {origin_word(file, "total_memory")},
          {capability_text(card), right},
          {std::to_string(card.attribute(kMultiprocessorCount)), right},
          {to_text(card.context_memory), right},
          {origin_word(file, "context_memory")}};
}

std::string table_text(const std::vector<const CardFile*>& cards) {
  std::vector<std::vector<report::Cell>> rows{heading()};
  for (const auto* card : cards) rows.push_back(row(*card));
  return list_text(rows, 3);
}

std::string json_text(const std::vector<const CardFile*>& cards) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const auto* file : cards) {
    const auto& card = file->card;
    list.push_back(Json{{"id", card.id},
                        {"name", card.name},
                        {"aliases", file->aliases},
                        {"architecture", card.architecture},
                        {"compute_capability", capability_text(card)},
                        {"multiprocessors", card.attribute(kMultiprocessorCount)},
                        {"total_memory_bytes", card.total_memory.count},
                        {"total_memory_origin", origin_word(*file, "total_memory")},
                        {"context_memory_bytes", card.context_memory.count},
                        {"context_spread_bytes", card.context_spread.count},
                        {"context_memory_origin", origin_word(*file, "context_memory")}});
  }
  return Json{{"dryfit", DRYFIT_VERSION}, {"cards", std::move(list)}}.dump(-1, ' ', false,
                                                                           Json::error_handler_t::replace) +
         "\n";
}

Error no_match(const Catalogue& catalogue, const std::string& filter) {
  const auto likely = likely_cards(catalogue, filter);
  const auto question = likely.empty() ? "" : "Did you mean `dryfit gpus " + likely.front()->card.id + "`? ";
  return {"no GPU matches '" + filter + "'", question + "Run `dryfit gpus` to list all GPUs."};
}

int list_gpus(const GpusOptions& options) {
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  const auto cards = chosen(*catalogue, options.filter);
  if (cards.empty()) {
    return fail(no_match(*catalogue, options.filter), kWrongUsage);
  }
  return print(options.json ? json_text(cards) : table_text(cards)) ? kSuccess : kCouldNotTell;
}

}  // namespace

void add_gpus(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("gpus", "List supported GPUs")->group(kLists);
  command->footer(
      "Examples:\n  dryfit gpus a100\n  dryfit gpus --gpu-file mine.toml --json\n\n"
      "memory is what PyTorch sees; idle context is what an empty CUDA context uses. Each was measured on a real GPU "
      "(measured), stated by the vendor (vendor), or derived from related GPUs (derived). What a context grows by as "
      "kernels run has a source of its own, which reports name.\n\n"
      "Exit code: 0, or 2 if no GPU matches.");
  auto options = std::make_shared<GpusOptions>();
  command->add_option("FILTER", options->filter, "Show only GPUs whose ID, name or architecture contains this");
  command->add_flag("--json", options->json, "Print JSON");
  add_gpu_file_option(*command, options->cards);
  command->callback([options, &exit_code] { exit_code = list_gpus(*options); });
}

}  // namespace dryfit::cli
