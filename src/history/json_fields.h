// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"

namespace dryfit::history {

/// Reads the fields of another program's JSON object. What is missing or null is empty; a value of another type is an
/// Error, kept until error() is called.
class JsonFields {
 public:
  /// `object` must outlive this.
  explicit JsonFields(const nlohmann::json& object);

  std::string text(const char* key);
  std::optional<double> number(const char* key);
  std::uint64_t unsigned_number(const char* key);
  std::int64_t signed_number(const char* key);
  std::map<std::string, std::string> texts(const char* key);

  /// The first thing that was wrong.
  const std::optional<Error>& error() const { return error_; }

 private:
  const nlohmann::json* find(const char* key) const;
  void fail(const char* key, const char* expected);

  const nlohmann::json* object_;
  std::optional<Error> error_;
};

}  // namespace dryfit::history
