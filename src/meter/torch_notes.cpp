// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "meter/torch_notes.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

namespace dryfit::meter {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::map<std::string, std::string> texts_in(const Json& object) {
  std::map<std::string, std::string> result;
  if (!object.is_object()) return result;
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) result[name] = value.get<std::string>();
  }
  return result;
}

std::uint64_t count_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

void add_notes(const fs::path& file, std::vector<TorchNote>& notes) {
  std::ifstream input(file, std::ios::binary);
  const auto json = Json::parse(std::string{std::istreambuf_iterator<char>(input), {}}, nullptr, false);
  if (!json.is_object() || !json.contains("devices") || !json["devices"].is_array()) return;
  const auto software = texts_in(json.value("software", Json()));
  for (const auto& device : json["devices"]) {
    if (!device.is_object()) continue;
    const auto name = device.value("name", Json());
    notes.push_back({.card = name.is_string() ? name.get<std::string>() : "",
                     .reserved_peak = Bytes{count_in(device, "reserved_peak")},
                     .ooms = count_in(device, "ooms"),
                     .software = software});
  }
}

}  // namespace

std::vector<TorchNote> read_torch_notes(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<TorchNote> notes;
  for (const auto& file : files) add_notes(file, notes);
  return notes;
}

}  // namespace dryfit::meter
