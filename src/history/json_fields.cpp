// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/json_fields.h"

#include <nlohmann/json.hpp>

namespace dryfit::history {

JsonFields::JsonFields(const nlohmann::json& object) : object_(&object) {
  if (!object.is_object()) error_ = Error{"not a JSON object", "Check the file."};
}

const nlohmann::json* JsonFields::find(const char* key) const {
  if (!object_->is_object()) return nullptr;
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::fail(const char* key, const char* expected) {
  if (!error_) error_ = Error{std::string("'") + key + "' is not " + expected, "Correct it, or leave it out."};
}

std::string JsonFields::text(const char* key) {
  const auto* value = find(key);
  if (!value) return "";
  if (value->is_string()) return value->get<std::string>();
  fail(key, "a string");
  return "";
}

std::optional<double> JsonFields::number(const char* key) {
  const auto* value = find(key);
  if (!value) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  fail(key, "a number");
  return std::nullopt;
}

std::uint64_t JsonFields::unsigned_number(const char* key) {
  const auto* value = find(key);
  if (!value) return 0;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  fail(key, "a non-negative integer");
  return 0;
}

std::int64_t JsonFields::signed_number(const char* key) {
  const auto* value = find(key);
  if (!value) return 0;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  fail(key, "an integer");
  return 0;
}

std::map<std::string, std::string> JsonFields::texts(const char* key) {
  std::map<std::string, std::string> result;
  const auto* value = find(key);
  if (!value) return result;
  if (!value->is_object()) fail(key, "an object of strings");
  for (const auto& [name, text] : value->items()) {
    if (text.is_string()) {
      result[name] = text.get<std::string>();
    } else if (!text.is_null()) {
      fail(key, "an object of strings");
    }
  }
  return result;
}

}  // namespace dryfit::history
