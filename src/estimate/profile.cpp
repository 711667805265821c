// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/profile.h"

#include <nlohmann/json.hpp>

namespace dryfit::estimate {
namespace {

using Json = nlohmann::json;

std::vector<std::int64_t> numbers_of(const Json& list) {
  std::vector<std::int64_t> numbers;
  if (!list.is_array()) return numbers;
  for (const auto& each : list) {
    if (each.is_number_integer()) numbers.push_back(each.get<std::int64_t>());
  }
  return numbers;
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

/// An empty value if there is none.
const Json& item(const Json& object, const char* key, std::size_t index) {
  static const Json none;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() && index < found->size() ? (*found)[index] : none;
}

}  // namespace

TextTable::Id TextTable::id_of(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<Id>(texts_.size());
  texts_.push_back(&ids_.emplace(text, id).first->first);
  return id;
}

std::optional<TextTable::Id> TextTable::find(std::string_view text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

Inputs parse_inputs(std::string_view json) {
  Inputs inputs;
  const auto root = Json::parse(json, nullptr, false);
  if (!root.is_object()) return inputs;
  std::size_t count = 0;
  for (const auto& [key, list] : root.items()) count = std::max(count, list.is_array() ? list.size() : 0);
  for (std::size_t i = 0; i < count; ++i) {
    inputs.push_back({.type = text_of(item(root, "Input type", i)),
                      .dims = numbers_of(item(root, "Input Dims", i)),
                      .strides = numbers_of(item(root, "Input Strides", i)),
                      .value = text_of(item(root, "Concrete Inputs", i))});
  }
  return inputs;
}

}  // namespace dryfit::estimate
