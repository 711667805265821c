// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/identity.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace dryfit {
namespace {

TEST(Identity, A_card_keeps_its_uuid_from_run_to_run) {
  EXPECT_EQ(device_uuid_text(0), "0cf82aed-f20b-4cf9-810b-59d56eacbf1b");
  EXPECT_EQ(device_uuid(0), device_uuid(0));
}

/// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" for every text of 8-4-4-4-12 hexadecimal digits.
std::string form_of(std::string text) {
  for (char& c : text) {
    if (std::string_view("0123456789abcdef").find(c) != std::string_view::npos) c = 'x';
  }
  return text;
}

TEST(Identity, Every_card_of_a_machine_has_its_own_uuid_of_the_usual_form) {
  std::set<std::string> seen;
  for (int ordinal = 0; ordinal < 64; ++ordinal) {
    const auto text = device_uuid_text(ordinal);
    EXPECT_EQ(form_of(text), "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") << text;
    EXPECT_EQ(text[14], '4') << text;
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), 64u);
}

TEST(Identity, The_text_of_a_uuid_is_its_bytes_in_order) {
  const auto bytes = device_uuid(3);
  char first[9];
  std::snprintf(first, sizeof first, "%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
  EXPECT_EQ(device_uuid_text(3).substr(0, 8), first);
}

TEST(Identity, Cards_sit_on_buses_of_their_own_counted_from_one) {
  EXPECT_EQ(pci_bus_id(0), "0000:01:00.0");
  EXPECT_EQ(pci_bus_id(15), "0000:10:00.0");
  EXPECT_EQ(pci_address(15).bus, 16);
}

TEST(Identity, A_bus_id_is_read_with_and_without_domain_and_function) {
  const PciAddress address{.domain = 0, .bus = 0x1a, .device = 2};
  for (const char* const text : {"0000:1a:02.0", "00000000:1A:02.0", "0:1a:2", "1a:02.0", "1a:02"}) {
    EXPECT_EQ(parse_pci_bus_id(text), address) << text;
  }
  EXPECT_EQ(parse_pci_bus_id("10000:01:00.0"), (PciAddress{.domain = 0x10000, .bus = 1}));
}

TEST(Identity, What_is_not_a_bus_id_is_refused) {
  for (const char* const text : {"", ":", "1a", "1a:", "1a:02:", ":1a:02", "xyz:01:00", "1a:02x", "-1:02", "0:1:2:3"}) {
    EXPECT_EQ(parse_pci_bus_id(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dryfit
