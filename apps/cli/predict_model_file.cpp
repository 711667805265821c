// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_model_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace dryfit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".dryfit-model";
constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 20;

}  // namespace

fs::path models_folder(const Resources& resources) { return resources.cards.parent_path() / "models"; }

Result<fs::path> default_model_file(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == kEnding && entry.path().filename() != kComputeModel) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return Error{"no learned model in '" + folder.string() + "'",
                 "Name one with --model-file; docs/surrogate.md explains how to train one."};
  }
  return Error{"more than one learned model in '" + folder.string() + "': " + found[0].filename().string() + ", " +
                   found[1].filename().string(),
               "Name one with --model-file."};
}

std::optional<std::string> single_description(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kLargest) return std::nullopt;
  std::ifstream input(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(input), {});
  if (!nlohmann::json::accept(text)) return std::nullopt;
  return text;
}

}  // namespace dryfit::cli
