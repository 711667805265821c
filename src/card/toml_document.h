// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "card/catalogue.h"

namespace dryfit {

/// What is wrong with a file; CardFileReader catches it and hands it on as a Result.
struct TomlFault {
  Error error;
};

/// One TOML file. Every reader throws a TomlFault that says path:line, what is wrong and what to do.
class TomlDocument {
 public:
  explicit TomlDocument(const std::filesystem::path& path);

  const toml::table& root() const { return root_; }

  [[noreturn]] void fail(const toml::node& node, const std::string& what, std::string_view hint) const;

  const toml::node& require(const toml::table& table, std::string_view key) const;
  std::string text(const toml::table& table, std::string_view key) const;
  std::int64_t number(const toml::node& node, std::string_view key, std::int64_t least, std::int64_t most) const;
  int small_number(const toml::node& node, std::string_view key) const;

  /// The table { value = …, source = … } at `key`.
  const toml::table& sourced(const toml::table& table, std::string_view key) const;

  /// The `source` in `table`, which says where `key` comes from.
  Provenance provenance(const toml::table& table, std::string_view key) const;

  /// The number of the device attribute that is called `name`; `node` is where it stands.
  int attribute(const toml::node& node, std::string_view name) const;

 private:
  std::string path_;
  toml::table root_;
};

}  // namespace dryfit
