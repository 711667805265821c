// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/card_file.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include "card/attribute_names.h"
#include "card/context_model.h"
#include "card/toml_document.h"

namespace dryfit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKnownKeys[] = {"id",
                                           "name",
                                           "architecture",
                                           "chip",
                                           "aliases",
                                           "total_memory",
                                           "context_memory",
                                           "launch_memory",
                                           "context_spread",
                                           "attributes",
                                           "gpc_multiprocessors"};

/// Finds chips on their shelves and keeps those it has read.
class ChipShelf {
 public:
  ChipShelf(const fs::path& own_folder, const fs::path& built_in, std::map<fs::path, Chip>& read)
      : folders_{own_folder, built_in}, read_(read) {}

  /// `asking` is the file that names the chip, at `key`.
  const Chip& get(const TomlDocument& asking, std::string_view key, int depth = 0) {
    const auto path = find(asking, key);
    const auto known = read_.find(path);
    if (known != read_.end()) return known->second;
    if (depth > kDeepest)
      asking.fail(asking.require(asking.root(), key), "chips are based on each other in a cycle", kHint);
    return read_[path] = read_chip(TomlDocument(path), depth);
  }

 private:
  static constexpr int kDeepest = 8;
  static constexpr std::string_view kHint =
      "Name a compute capability such as \"8.6\"; cards/chips has a file for each.";

  fs::path find(const TomlDocument& asking, std::string_view key) const {
    const auto name = asking.text(asking.root(), key);
    for (const auto& folder : folders_) {
      auto path = folder / (name + ".toml");
      std::error_code ignored;
      if (fs::exists(path, ignored)) return path;
    }
    asking.fail(asking.require(asking.root(), key), "unknown chip '" + name + "'", kHint);
  }

  Chip read_chip(const TomlDocument& document, int depth) {
    const auto& root = document.root();
    Chip chip = root.contains("based_on") ? get(document, "based_on", depth + 1) : Chip{};
    if (root.contains("architecture")) chip.architecture = document.text(root, "architecture");
    const auto& groups = document.require(root, "attributes");
    const auto* list = groups.as_array();
    if (!list) document.fail(groups, "'attributes' is not a list of tables", "Write [[attributes]].");
    for (const auto& group : *list) read_group(document, group, chip);
    return chip;
  }

  static void read_group(const TomlDocument& document, const toml::node& group, Chip& chip) {
    const auto* table = group.as_table();
    if (!table) document.fail(group, "'attributes' is not a list of tables", "Write [[attributes]].");
    const auto provenance = document.provenance(*table, "attributes");
    for (const auto& [key, node] : *table) {
      if (key == "source") continue;
      chip.attributes[document.attribute(node, key.str())] = document.small_number(node, key.str());
      chip.provenance[std::string(key.str())] = provenance;
    }
  }

  fs::path folders_[2];
  std::map<fs::path, Chip>& read_;
};

class CardReader {
 public:
  explicit CardReader(const fs::path& path) : document_(path) { file_.path = path; }

  CardFile read(ChipShelf& chips) {
    const auto& root = document_.root();
    file_.card.id = document_.text(root, "id");
    file_.card.name = document_.text(root, "name");
    read_aliases();
    take_chip(chips.get(document_, "chip"));
    file_.card.total_memory = bytes("total_memory", 1);
    file_.card.context_memory = bytes("context_memory", 0);
    file_.card.context_spread = bytes("context_spread", 0);
    read_gpcs();
    read_attributes();
    read_launch_memory();
    refuse_unknown_keys();
    return std::move(file_);
  }

 private:
  void read_aliases() {
    const auto* node = document_.root().get("aliases");
    if (!node) return;
    const auto* list = node->as_array();
    if (!list) document_.fail(*node, "'aliases' is not a list of strings", R"(Write aliases = ["3060"].)");
    for (const auto& entry : *list) {
      const auto alias = entry.value_exact<std::string>();
      if (!alias || alias->empty()) document_.fail(entry, "an alias is not a string", R"(Write aliases = ["3060"].)");
      file_.aliases.push_back(*alias);
    }
  }

  void take_chip(const Chip& chip) {
    file_.card.architecture = chip.architecture;
    if (document_.root().contains("architecture")) {
      file_.card.architecture = document_.text(document_.root(), "architecture");
    }
    file_.card.attributes = chip.attributes;
    file_.provenance = chip.provenance;
    auto& capability = file_.card.compute_capability;
    capability.major = file_.card.attribute(attribute_number("compute_capability_major").value());
    capability.minor = file_.card.attribute(attribute_number("compute_capability_minor").value());
  }

  Bytes bytes(std::string_view key, std::int64_t least) {
    const auto& table = document_.sourced(document_.root(), key);
    file_.provenance[std::string(key)] = document_.provenance(table, key);
    const auto& node = document_.require(table, "value");
    return {static_cast<std::uint64_t>(document_.number(node, key, least, std::numeric_limits<std::int64_t>::max()))};
  }

  /// The model answers for a card that does not say; it needs the attributes.
  void read_launch_memory() {
    constexpr const char* key = "launch_memory";
    if (document_.root().contains(key)) {
      file_.card.launch_memory = bytes(key, 0);
      return;
    }
    file_.card.launch_memory = modelled_launch_memory(file_.card);
    file_.provenance[key] = {Origin::derived, "derived: the line of docs/cards.md"};
  }

  void read_gpcs() {
    constexpr std::string_view key = "gpc_multiprocessors";
    if (!document_.root().contains(key)) return;
    const auto& table = document_.sourced(document_.root(), key);
    file_.provenance[std::string(key)] = document_.provenance(table, key);
    const auto& node = document_.require(table, "value");
    const auto* list = node.as_array();
    if (!list) document_.fail(node, "'gpc_multiprocessors' is not a list of numbers", "Write value = [16, 16, 18].");
    for (const auto& entry : *list) {
      file_.card.gpc_multiprocessors.push_back(static_cast<int>(document_.number(entry, key, 1, 1024)));
    }
  }

  void read_attributes() {
    const auto& node = document_.require(document_.root(), "attributes");
    const auto* table = node.as_table();
    if (!table) document_.fail(node, "'attributes' is not a table", "Write [attributes].");
    for (const auto& [key, entry] : *table) {
      const auto& inner = document_.sourced(*table, key.str());
      const auto number = document_.attribute(entry, key.str());
      file_.card.attributes[number] = document_.small_number(document_.require(inner, "value"), key.str());
      file_.provenance[std::string(key.str())] = document_.provenance(inner, key.str());
    }
    if (!table->contains("multiprocessor_count")) {
      document_.fail(node, "'multiprocessor_count' is missing in [attributes]",
                     "docs/cards.md lists the keys that a GPU file must have.");
    }
  }

  void refuse_unknown_keys() const {
    for (const auto& [key, node] : document_.root()) {
      bool known = false;
      for (const auto name : kKnownKeys) known = known || key.str() == name;
      if (known) continue;
      document_.fail(node, "'" + std::string(key.str()) + "' is not a key of a GPU file",
                     "docs/cards.md lists the keys of a GPU file.");
    }
  }

  TomlDocument document_;
  CardFile file_;
};

}  // namespace

Result<CardFile> CardFileReader::read(const fs::path& path) {
  try {
    ChipShelf chips(path.parent_path() / "chips", chip_folder_, chips_);
    return CardReader(path).read(chips);
  } catch (const TomlFault& fault) {
    return fault.error;
  }
}

}  // namespace dryfit
