// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/catalogue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <set>

#include "card/attribute_names.h"
#include "card/context_model.h"
#include "card/machine.h"

namespace dryfit {
namespace {

namespace fs = std::filesystem;
using namespace literals;

const fs::path kCards = DRYFIT_SOURCE_DIR "/cards";

const Catalogue& catalogue() {
  static const auto loaded = Catalogue::load(kCards);
  EXPECT_TRUE(loaded) << loaded.error().what;
  return loaded.value();
}

int attribute(const Card& card, std::string_view name) { return card.attribute(attribute_number(name).value()); }

/// What the driver answers itself because it depends on the slot.
bool is_left_to_the_driver(std::string_view name) {
  return name == "pci_bus_id" || name == "pci_device_id" || name == "pci_domain_id" ||
         name == "multi_gpu_board_group_id";
}

TEST(Catalogue, Has_the_cards_that_people_ask_for) {
  EXPECT_GE(catalogue().cards().size(), 45u);
  for (const std::string_view id :
       {"rtx-3060-12gb", "rtx-4060-8gb", "a100-40gb", "a100-80gb", "h100-80gb", "rtx-3090-24gb", "rtx-4090-24gb",
        "t4-16gb", "v100-16gb", "v100-32gb", "a100-40gb-pcie", "a100-80gb-pcie", "h100-80gb-pcie",
        "a100-40gb-mig-1g.5gb", "h100-80gb-mig-3g.40gb", "h200-141gb", "b200-180gb", "rtx-5090-32gb"}) {
    EXPECT_NE(catalogue().find(id), nullptr) << id;
  }
  EXPECT_EQ(catalogue().find("a100"), nullptr);
}

TEST(Catalogue, The_measured_sizes_are_exact) {
  EXPECT_EQ(catalogue().find("rtx-3060-12gb")->card.total_memory, 12622168064_B);
  EXPECT_EQ(catalogue().find("rtx-4060-8gb")->card.total_memory, 8318222336_B);
  EXPECT_EQ(catalogue().find("a100-40gb")->card.total_memory, 42474471424_B);
  EXPECT_EQ(catalogue().find("a100-40gb")->provenance.at("total_memory").origin, Origin::measured);
}

TEST(Catalogue, Cards_come_by_compute_capability_and_id_and_each_id_once) {
  std::set<std::string> ids;
  const Card* previous = nullptr;
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    EXPECT_TRUE(ids.insert(card.id).second) << card.id;
    EXPECT_EQ(path.stem().string() + path.extension().string(), card.id + ".toml");
    if (previous) {
      EXPECT_LT(std::tie(previous->compute_capability, previous->id), std::tie(card.compute_capability, card.id));
    }
    previous = &card;
  }
}

TEST(Catalogue, Every_card_answers_every_attribute_of_the_header) {
  for (const auto& file : catalogue().cards()) {
    for (const auto& [number, name] : attribute_names()) {
      EXPECT_EQ(file.card.attributes.contains(number), !is_left_to_the_driver(name)) << file.card.id << " " << name;
    }
  }
}

TEST(Catalogue, Every_number_says_where_it_comes_from) {
  for (const auto& file : catalogue().cards()) {
    EXPECT_EQ(file.provenance.count("total_memory"), 1u) << file.card.id;
    EXPECT_EQ(file.provenance.count("context_memory"), 1u) << file.card.id;
    EXPECT_EQ(file.provenance.count("launch_memory"), 1u) << file.card.id;
    EXPECT_EQ(file.provenance.count("context_spread"), 1u) << file.card.id;
    EXPECT_EQ(file.provenance.count("gpc_multiprocessors"), file.card.gpc_multiprocessors.empty() ? 0u : 1u);
    for (const auto& [number, value] : file.card.attributes) {
      EXPECT_EQ(file.provenance.count(std::string(attribute_name(number))), 1u) << file.card.id << " " << number;
    }
  }
}

TEST(Catalogue, Shared_memory_threads_and_registers_fit_together) {
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    const int per_multiprocessor = attribute(card, "max_shared_memory_per_multiprocessor");
    const int reserved = attribute(card, "reserved_shared_memory_per_block");
    EXPECT_EQ(attribute(card, "max_shared_memory_per_block_optin"), per_multiprocessor - reserved) << card.id;
    EXPECT_EQ(reserved, card.compute_capability.major >= 8 ? 1024 : 0) << card.id;
    EXPECT_EQ(attribute(card, "max_threads_per_multiprocessor") % attribute(card, "warp_size"), 0) << card.id;
    EXPECT_EQ(attribute(card, "cluster_launch"), card.compute_capability.major >= 9) << card.id;
    EXPECT_EQ(attribute(card, "compute_capability_major"), card.compute_capability.major) << card.id;
    EXPECT_LT(attribute(card, "max_persisting_l2_cache_size"), attribute(card, "l2_cache_size")) << card.id;
    EXPECT_EQ(attribute(card, "gpu_pci_device_id") & 0xffff, 0x10de) << card.id;
  }
}

TEST(Catalogue, Clusters_add_up_to_the_card_from_Hopper_on) {
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    const auto& gpcs = card.gpc_multiprocessors;
    EXPECT_EQ(gpcs.empty(), card.compute_capability.major < 9) << card.id;
    if (gpcs.empty()) continue;
    EXPECT_EQ(std::accumulate(gpcs.begin(), gpcs.end(), 0), attribute(card, "multiprocessor_count")) << card.id;
  }
}

/// The last "…gb" of an id, in GiB.
std::uint64_t marketed_size(const std::string& id) {
  const auto end = id.rfind("gb");
  const auto before = id.find_last_not_of("0123456789", end - 1);
  return std::stoull(id.substr(before + 1, end - before - 1));
}

TEST(Catalogue, Memory_lies_a_little_below_the_size_in_the_id) {
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    ASSERT_NE(card.id.rfind("gb"), std::string::npos) << card.id;
    const Bytes marketed = 1_GiB * marketed_size(card.id);
    EXPECT_LT(card.total_memory, marketed) << card.id;
    EXPECT_GT(card.total_memory.count * 100, marketed.count * 91) << card.id;
  }
}

TEST(Catalogue, A_context_is_small_beside_the_card_and_larger_than_its_spread) {
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    EXPECT_GE(card.context_memory, 40_MiB) << card.id;
    EXPECT_LE(card.context_memory, 700_MiB) << card.id;
    EXPECT_LT(card.context_spread, card.context_memory) << card.id;
    EXPECT_GT(card.context_spread, 0_B) << card.id;
  }
}

TEST(Catalogue, A_context_by_the_line_lies_on_it) {
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    if (provenance.at("context_memory").origin == Origin::derived) {
      EXPECT_EQ(card.context_memory, modelled_context_memory(card)) << card.id;
    }
    if (provenance.at("launch_memory").source.starts_with("derived: the line")) {
      EXPECT_EQ(card.launch_memory, modelled_launch_memory(card)) << card.id;
    }
  }
}

TEST(Catalogue, Where_the_lines_alone_speak_the_spread_is_at_least_a_fifth) {
  for (const auto& [card, aliases, path, provenance] : catalogue().cards()) {
    const auto& source = provenance.at("context_spread").source;
    if (!source.starts_with("derived: from its multiprocessors")) continue;
    EXPECT_GE(card.context_spread.count * 5, (card.context_memory + card.launch_memory).count) << card.id;
    EXPECT_GE(card.context_spread, 20_MiB) << card.id;
  }
}

TEST(Catalogue, Every_card_survives_the_way_to_the_driver) {
  Machine machine;
  for (const auto& file : catalogue().cards()) machine.cards.push_back(file.card);
  const auto read = parse_machine(to_text(machine));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_text(*read), to_text(machine));
}

class OwnCards : public testing::Test {
 protected:
  OwnCards() : folder_(fs::temp_directory_path() / ("dryfit-cards-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void borrow_chips() const { fs::create_directory_symlink(kCards / "chips", folder_ / "chips"); }

  ~OwnCards() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }

  std::string error_of(const std::string& text) const {
    const auto path = write("x.toml", text);
    const auto loaded = Catalogue::load(folder_, {});
    if (loaded) return "no error";
    EXPECT_FALSE(loaded.error().hint.empty());
    const auto& what = loaded.error().what;
    return what.starts_with(path.string()) ? what.substr(path.string().size()) : what;
  }

  fs::path folder_;
};

const std::string kHead =
    "id = \"my-card\"\n"
    "name = \"My Card\"\n"
    "chip = \"8.6\"\n";
const std::string kMemory =
    "total_memory = { value = 1000000000, source = \"measured: here\" }\n"
    "context_memory = { value = 100, source = \"derived: guessed\" }\n"
    "context_spread = { value = 10, source = \"derived: guessed\" }\n";
const std::string kAttributes = "[attributes]\nmultiprocessor_count = { value = 10, source = \"vendor: sheet\" }\n";

TEST_F(OwnCards, A_file_adds_a_card) {
  const auto path = write("my.toml", kHead + "aliases = [\"mine\"]\n" + kMemory + kAttributes);
  const auto loaded = Catalogue::load(kCards, {path});
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->cards().size(), catalogue().cards().size() + 1);
  const auto* mine = loaded->find("my-card");
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->path, path);
  EXPECT_EQ(mine->aliases, std::vector<std::string>{"mine"});
  EXPECT_EQ(mine->card.architecture, "Ampere");
  EXPECT_EQ(mine->card.compute_capability, (ComputeCapability{8, 6}));
  EXPECT_EQ(attribute(mine->card, "multiprocessor_count"), 10);
  EXPECT_EQ(attribute(mine->card, "max_threads_per_multiprocessor"), 1536);
  EXPECT_EQ(mine->provenance.at("context_memory").source, "derived: guessed");
  EXPECT_EQ(mine->card.launch_memory, modelled_launch_memory(mine->card)) << "nothing was said about it";
  EXPECT_EQ(mine->provenance.at("launch_memory").origin, Origin::derived);
  EXPECT_EQ(mine->provenance.at("multiprocessor_count").origin, Origin::vendor);
}

TEST_F(OwnCards, A_folder_adds_all_its_files_and_may_bring_its_own_chip) {
  write("chips/future.toml",
        "based_on = \"9.0\"\narchitecture = \"Future\"\n[[attributes]]\nsource = \"derived: guessed\"\n"
        "compute_capability_major = 14\n");
  write("one.toml", "id = \"one\"\nname = \"One\"\nchip = \"future\"\n" + kMemory + kAttributes);
  write("two.toml", "id = \"two\"\nname = \"Two\"\nchip = \"8.0\"\n" + kMemory + kAttributes);
  write("notes.txt", "not a card");
  const auto loaded = Catalogue::load(kCards, {folder_});
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->find("one")->card.compute_capability, (ComputeCapability{14, 0}));
  EXPECT_EQ(loaded->find("one")->card.architecture, "Future");
  EXPECT_EQ(attribute(loaded->find("one")->card, "cluster_launch"), 1);
  EXPECT_EQ(loaded->cards().back().card.id, "one");
  EXPECT_NE(loaded->find("two"), nullptr);
}

TEST_F(OwnCards, A_card_of_a_known_id_replaces_the_built_in_one) {
  const auto path = write("mine.toml", "id = \"t4-16gb\"\nname = \"My T4\"\nchip = \"7.5\"\n" + kMemory + kAttributes);
  const auto loaded = Catalogue::load(kCards, {path});
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(loaded->cards().size(), catalogue().cards().size());
  EXPECT_EQ(loaded->find("t4-16gb")->card.name, "My T4");
}

TEST_F(OwnCards, A_missing_file_or_folder_is_an_error) {
  const auto missing = Catalogue::load(kCards, {folder_ / "nothing.toml"});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().what.starts_with((folder_ / "nothing.toml").string())) << missing.error().what;
  const auto no_folder = Catalogue::load(folder_ / "nowhere");
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().what, (folder_ / "nowhere").string() + ": no folder with GPU files");
}

TEST_F(OwnCards, Chips_in_a_circle_are_refused) {
  write("chips/a.toml", "based_on = \"b\"\n");
  write("chips/b.toml", "based_on = \"a\"\n");
  const auto path = write("mine.toml", "id = \"x\"\nname = \"X\"\nchip = \"a\"\n" + kMemory + kAttributes);
  const auto loaded = Catalogue::load(kCards, {path});
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("chips are based on each other in a cycle"), std::string::npos);
}

TEST_F(OwnCards, Broken_TOML_is_reported_with_its_line) {
  const auto what = error_of("id = \"x\"\nname = \n");
  EXPECT_TRUE(what.starts_with(":2: ")) << what;
}

TEST_F(OwnCards, A_missing_or_wrong_key_is_reported_with_its_line) {
  borrow_chips();
  EXPECT_EQ(error_of(""), ":1: 'id' is missing");
  EXPECT_EQ(error_of("id = 5\n"), ":1: 'id' is not a string");
  EXPECT_EQ(error_of(kHead + kAttributes), ":1: 'total_memory' is missing");
  EXPECT_EQ(error_of("id = \"x\"\nname = \"X\"\nchip = \"1.0\"\n"), ":3: unknown chip '1.0'");
  EXPECT_EQ(error_of(kHead + "aliases = \"x\"\n"), ":4: 'aliases' is not a list of strings");
  EXPECT_EQ(error_of(kHead + "total_memory = 5\n"), ":4: 'total_memory' has no source");
  EXPECT_EQ(error_of(kHead + "total_memory = { value = \"5\", source = \"measured: x\" }\n"),
            ":4: 'total_memory' is not a whole number");
  EXPECT_EQ(error_of(kHead + "total_memory = { value = 0, source = \"measured: x\" }\n"),
            ":4: 'total_memory' is out of range");
  EXPECT_EQ(error_of(kHead + "total_memory = { value = 5, source = \"somebody\" }\n"),
            ":4: the source of 'total_memory' does not begin with measured:, vendor: or derived:");
  EXPECT_EQ(error_of(kHead + "total_memory = { value = 5 }\n"), ":4: 'source' is missing");
  EXPECT_EQ(error_of(kHead + kMemory), ":1: 'attributes' is missing");
  EXPECT_EQ(error_of(kHead + kMemory + "[attributes]\n"), ":7: 'multiprocessor_count' is missing in [attributes]");
  EXPECT_EQ(error_of(kHead + kMemory + kAttributes + "color = { value = 1, source = \"vendor: x\" }\n"),
            ":9: unknown device attribute 'color'");
  EXPECT_EQ(error_of(kHead + "memory = 5\n" + kMemory + kAttributes), ":4: 'memory' is not a key of a GPU file");
}

}  // namespace
}  // namespace dryfit
