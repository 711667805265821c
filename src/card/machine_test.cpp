// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/machine.h"

#include <gtest/gtest.h>

namespace dryfit {
namespace {

using namespace literals;

Card small_card() {
  Card card;
  card.id = "rtx-3060-12gb";
  card.name = "NVIDIA GeForce RTX 3060";
  card.architecture = "Ampere";
  card.compute_capability = {8, 6};
  card.total_memory = 12622168064_B;
  card.context_memory = 99_MiB;
  card.launch_memory = 8_MiB;
  card.context_spread = 16_MiB;
  card.attributes = {{16, 28}, {131, -1}};
  card.gpc_multiprocessors = {10, 10, 8};
  return card;
}

const std::string kCardText =
    "card rtx-3060-12gb\n"
    "name NVIDIA GeForce RTX 3060\n"
    "architecture Ampere\n"
    "capability 8 6\n"
    "memory 12622168064 103809024 16777216\n"
    "launch 8388608\n"
    "gpcs 10 10 8\n"
    "attribute 16 28\n"
    "attribute 131 -1\n"
    "end\n";
const std::string kHeader = "dryfit-machine 1\ndriver 13040\naddresses chunk\n";

std::string error_of(const std::string& text) {
  const auto machine = parse_machine(text);
  return machine ? "no error" : machine.error().what;
}

TEST(Machine, Its_text_is_the_documented_one) { EXPECT_EQ(to_text({.cards = {small_card()}}), kHeader + kCardText); }

TEST(Machine, What_others_hold_of_a_card_is_read_back_and_less_than_the_card) {
  Card shared = small_card();
  shared.held_by_others = 4_GiB;
  const auto text = to_text({.cards = {shared}});
  ASSERT_TRUE(parse_machine(text));
  EXPECT_EQ(parse_machine(text)->cards[0].available(), shared.total_memory - 4_GiB);
  shared.held_by_others = shared.total_memory + 1_B;
  EXPECT_NE(error_of(to_text({.cards = {shared}})).find("holds more than it has"), std::string::npos);
}

TEST(Machine, What_is_written_reads_back_the_same) {
  Card second = small_card();
  second.id = "other";
  second.gpc_multiprocessors.clear();
  const Machine machine{
      .driver_version = 12040, .address_order = AddressOrder::ascending, .cards = {small_card(), second}};
  const auto text = to_text(machine);

  const auto read = parse_machine(text);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->driver_version, 12040);
  EXPECT_EQ(read->address_order, AddressOrder::ascending);
  ASSERT_EQ(read->cards.size(), 2u);
  EXPECT_EQ(read->cards[0].attribute(131), -1);
  EXPECT_EQ(read->cards[0].gpc_multiprocessors, (std::vector<int>{10, 10, 8}));
  EXPECT_EQ(read->cards[1].id, "other");
  EXPECT_EQ(to_text(*read), text);
}

TEST(Machine, Recorded_segments_read_back_in_their_order) {
  const Machine machine{.address_order = AddressOrder::recorded,
                        .recorded_segments = {{{2097152}, 0x7f2118400000}, {{20971520}, 0x502000000}}};
  const auto read = parse_machine(to_text(machine));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->address_order, AddressOrder::recorded);
  ASSERT_EQ(read->recorded_segments.size(), 2u);
  EXPECT_EQ(read->recorded_segments[0].size, Bytes{2097152});
  EXPECT_EQ(read->recorded_segments[0].address, 0x7f2118400000u);
  EXPECT_EQ(read->recorded_segments[1].address, 0x502000000u);
}

TEST(Machine, A_line_break_in_a_name_does_not_break_the_text) {
  Card card = small_card();
  card.name = "two\nlines";
  const auto read = parse_machine(to_text({.cards = {card}}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->cards[0].name, "two lines");
}

TEST(Machine, Windows_line_ends_and_empty_lines_are_read) {
  const auto read = parse_machine("dryfit-machine 1\r\n\r\ndriver 12080\r\n");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->driver_version, 12080);
  EXPECT_TRUE(read->cards.empty());
}

TEST(Machine, A_newer_format_is_refused_and_both_versions_are_named) {
  EXPECT_EQ(error_of("dryfit-machine 2\n"),
            "machine:1: the machine file has format 2, but this driver reads format 1 and older");
}

TEST(Machine, Text_that_is_no_machine_is_refused) {
  EXPECT_EQ(error_of(""), "machine:0: the text is empty");
  for (const std::string text : {"hello", "dryfit-machine", "dryfit-machine one", "dryfit-machine 0",
                                 "dryfit-machine 1 1", "\n", "dryfit-machine 99999999999999"}) {
    EXPECT_EQ(error_of(text), "machine:1: not a machine file") << text;
  }
}

TEST(Machine, An_error_names_its_line) {
  EXPECT_EQ(error_of("dryfit-machine 1\ndriver new\n"), "machine:2: 'driver' cannot be 'new'");
  EXPECT_EQ(error_of("dryfit-machine 1\naddresses upwards\n"), "machine:2: 'addresses' cannot be 'upwards'");
  EXPECT_EQ(error_of("dryfit-machine 1\nsegment 2097152\n"), "machine:2: 'segment' cannot be '2097152'");
  EXPECT_EQ(error_of("dryfit-machine 1\nname x\n"), "machine:2: 'name' is not a key of a machine");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard\n"), "machine:2: 'card' cannot be ''");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\nmemory 1 2\n"), "machine:3: 'memory' cannot be '1 2'");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\nmemory -1 2 3\n"), "machine:3: 'memory' cannot be '-1 2 3'");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\ngpcs 10 ten\n"), "machine:3: 'gpcs' cannot be '10 ten'");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\nattribute 16 99999999999\n"),
            "machine:3: 'attribute' cannot be '16 99999999999'");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\ncard y\n"), "machine:3: 'card' is not a key of a GPU");
}

TEST(Machine, An_unfinished_or_empty_card_is_refused) {
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\nend\n"), "machine:3: GPU 'x' has no memory");
  EXPECT_EQ(error_of("dryfit-machine 1\ncard x\nmemory 1 0 0\nend\n"), "machine:4: GPU 'x' has no compute capability");
}

TEST(Machine, Text_cut_off_at_any_byte_is_either_whole_or_refused) {
  const auto text = kHeader + kCardText;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = parse_machine(std::string_view(text).substr(0, size));
    if (read) {
      EXPECT_LE(read->cards.size(), 1u);
      EXPECT_TRUE(read->cards.empty() || size + 1 == text.size()) << size;
    } else {
      EXPECT_TRUE(read.error().what.starts_with("machine:")) << size;
    }
  }
}

}  // namespace
}  // namespace dryfit
