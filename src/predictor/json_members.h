// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/layer.h"

namespace dryfit::predictor {

/// Reads members of a JSON object and keeps the first error. A number, a flag or shapes that are absent or null get the
/// default; a string must be there. The object must outlive the reader.
class JsonMembers {
 public:
  /// `where` begins each error ("the row's job"); `hint` is its hint.
  JsonMembers(const nlohmann::json& object, std::string_view where, std::string_view hint)
      : object_(&object), where_(where), hint_(hint) {}

  std::string text(const char* name) {
    const auto* value = find(name);
    if (value == nullptr || !value->is_string()) return wrong(name, "a string"), "";
    return value->get<std::string>();
  }

  double number(const char* name, double otherwise = 0) {
    const auto* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_number()) return wrong(name, "a number"), otherwise;
    return value->get<double>();
  }

  bool flag(const char* name, bool otherwise = false) {
    const auto* value = find(name);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) return wrong(name, "true or false"), otherwise;
    return value->get<bool>();
  }

  /// A single number is a list of one.
  Shape sides(const char* name) {
    const auto* value = find(name);
    if (value == nullptr) return {};
    return shape(value->is_array() ? *value : nlohmann::json::array({*value}), name);
  }

  std::vector<Shape> shapes(const char* name) {
    const auto* value = find(name);
    if (value == nullptr) return {};
    if (!value->is_array()) return wrong(name, "a list of shapes"), std::vector<Shape>{};
    std::vector<Shape> result;
    for (const auto& each : *value) result.push_back(shape(each, name));
    return result;
  }

  /// Null if the member is absent or null.
  const nlohmann::json* find(const char* name) const {
    const auto found = object_->find(name);
    return found == object_->end() || found->is_null() ? nullptr : &*found;
  }

  void wrong(const char* name, const char* expected) {
    if (status_) status_ = Error{where_ + ": '" + name + "' is not " + expected, hint_};
  }

  const Status& status() const { return status_; }

 private:
  Shape shape(const nlohmann::json& value, const char* name) {
    Shape result;
    if (!value.is_array()) return wrong(name, "a shape"), result;
    for (const auto& side : value) {
      if (!side.is_number_integer()) return wrong(name, "a shape"), result;
      result.push_back(side.get<std::int64_t>());
    }
    return result;
  }

  const nlohmann::json* object_;
  std::string where_;
  std::string hint_;
  Status status_;
};

}  // namespace dryfit::predictor
