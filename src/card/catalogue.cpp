// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/catalogue.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "card/card_file.h"

namespace dryfit {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> card_paths(const fs::path& place) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return std::vector<fs::path>{place};
  std::vector<fs::path> paths;
  auto entry = fs::directory_iterator(place, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".toml") paths.push_back(entry->path());
  }
  if (error) return Error{place.string() + ": " + error.message(), "Check that the folder can be read."};
  std::ranges::sort(paths);
  return paths;
}

void put(std::vector<CardFile>& cards, CardFile file) {
  const auto same = [&](const CardFile& other) { return other.card.id == file.card.id; };
  const auto found = std::ranges::find_if(cards, same);
  if (found == cards.end()) {
    cards.push_back(std::move(file));
  } else {
    *found = std::move(file);
  }
}

Status read_into(std::vector<CardFile>& cards, const fs::path& place, CardFileReader& reader) {
  const auto paths = card_paths(place);
  if (!paths) return paths.error();
  for (const auto& path : *paths) {
    auto file = reader.read(path);
    if (!file) return file.error();
    put(cards, std::move(*file));
  }
  return {};
}

}  // namespace

Result<Catalogue> Catalogue::load(const fs::path& folder, const std::vector<fs::path>& own) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return Error{folder.string() + ": no folder with GPU files", "Reinstall Dryfit; its GPU files are missing."};
  }
  Catalogue catalogue;
  CardFileReader reader(folder / "chips");
  std::vector<fs::path> places{folder};
  places.insert(places.end(), own.begin(), own.end());
  for (const auto& place : places) {
    if (const auto status = read_into(catalogue.cards_, place, reader); !status) return status.error();
  }
  std::ranges::sort(catalogue.cards_, {},
                    [](const CardFile& file) { return std::tie(file.card.compute_capability, file.card.id); });
  return catalogue;
}

const CardFile* Catalogue::find(std::string_view id) const {
  const auto found = std::ranges::find_if(cards_, [&](const CardFile& file) { return file.card.id == id; });
  return found == cards_.end() ? nullptr : &*found;
}

}  // namespace dryfit
