// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/toml_document.h"

#include <limits>
#include <utility>

#include "card/attribute_names.h"

namespace dryfit {
namespace {

constexpr std::string_view kSourceHint = R"(Write { value = 28, source = "measured: where it was printed" }.)";

std::string quoted(std::string_view key) { return "'" + std::string(key) + "'"; }

}  // namespace

TomlDocument::TomlDocument(const std::filesystem::path& path) : path_(path.string()) {
  auto parsed = toml::parse_file(path_);
  if (!parsed) {
    const auto& error = parsed.error();
    const auto line = error.source().begin.line;
    const auto where = line > 0 ? path_ + ":" + std::to_string(line) : path_;
    throw TomlFault{{where + ": " + std::string(error.description()), "Check that the file exists and is valid TOML."}};
  }
  root_ = std::move(parsed).table();
}

void TomlDocument::fail(const toml::node& node, const std::string& what, std::string_view hint) const {
  const auto line = node.source().begin.line;
  throw TomlFault{{path_ + ":" + std::to_string(line > 0 ? line : 1) + ": " + what, std::string(hint)}};
}

const toml::node& TomlDocument::require(const toml::table& table, std::string_view key) const {
  if (const auto* node = table.get(key)) return *node;
  fail(table, quoted(key) + " is missing", "docs/cards.md lists the keys that a GPU file must have.");
}

std::string TomlDocument::text(const toml::table& table, std::string_view key) const {
  const auto& node = require(table, key);
  const auto value = node.value_exact<std::string>();
  if (!value || value->empty()) fail(node, quoted(key) + " is not a string", "Write it in quotes.");
  return *value;
}

std::int64_t TomlDocument::number(const toml::node& node, std::string_view key, std::int64_t least,
                                  std::int64_t most) const {
  const auto value = node.value_exact<std::int64_t>();
  if (!value) fail(node, quoted(key) + " is not a whole number", kSourceHint);
  if (*value < least || *value > most) fail(node, quoted(key) + " is out of range", kSourceHint);
  return *value;
}

int TomlDocument::small_number(const toml::node& node, std::string_view key) const {
  return static_cast<int>(number(node, key, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

const toml::table& TomlDocument::sourced(const toml::table& table, std::string_view key) const {
  const auto& node = require(table, key);
  if (const auto* inner = node.as_table()) return *inner;
  fail(node, quoted(key) + " has no source", kSourceHint);
}

Provenance TomlDocument::provenance(const toml::table& table, std::string_view key) const {
  const auto& node = require(table, "source");
  const auto source = node.value_exact<std::string>().value_or("");
  for (const auto& [word, origin] : {std::pair<std::string_view, Origin>{"measured: ", Origin::measured},
                                     {"vendor: ", Origin::vendor},
                                     {"derived: ", Origin::derived}}) {
    if (source.starts_with(word) && source.size() > word.size()) return {origin, source};
  }
  fail(node, "the source of " + quoted(key) + " does not begin with measured:, vendor: or derived:", kSourceHint);
}

int TomlDocument::attribute(const toml::node& node, std::string_view name) const {
  if (const auto found = attribute_number(name)) return *found;
  fail(node, "unknown device attribute " + quoted(name),
       "Use the names of CUdevice_attribute without CU_DEVICE_ATTRIBUTE_, in lower case.");
}

}  // namespace dryfit
