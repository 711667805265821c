// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/card_match.h"

#include <gtest/gtest.h>

#include <string>

namespace dryfit {
namespace {

const Catalogue& cards_to_match() {
  static const auto loaded = Catalogue::load(DRYFIT_SOURCE_DIR "/cards");
  return loaded.value();
}

std::string matched(std::string_view typed) {
  const auto found = match_card(cards_to_match(), typed);
  return found ? found.value()->card.id : found.error().what;
}

std::string hint_for(std::string_view typed) {
  const auto found = match_card(cards_to_match(), typed);
  return found ? "no error" : found.error().hint;
}

TEST(CardMatch, Names_are_found_the_way_people_type_them) {
  const std::pair<std::string_view, std::string_view> table[] = {
      {"3060", "rtx-3060-12gb"},
      {"rtx3060", "rtx-3060-12gb"},
      {"RTX 3060", "rtx-3060-12gb"},
      {"rtx_3060_12GB", "rtx-3060-12gb"},
      {"geforce rtx 3060 12 gb", "rtx-3060-12gb"},
      {"4060", "rtx-4060-8gb"},
      {"rtx-4060-8gb", "rtx-4060-8gb"},
      {"4060 ti 16gb", "rtx-4060-ti-16gb"},
      {"3090ti", "rtx-3090-ti-24gb"},
      {"3080 12", "rtx-3080-12gb"},
      {"NVIDIA GeForce RTX 4090", "rtx-4090-24gb"},
      {"4070tisuper", "rtx-4070-ti-super-16gb"},
      {"RTX A6000", "rtx-a6000-48gb"},
      {"rtxa6000", "rtx-a6000-48gb"},
      {"6000 Ada", "rtx-6000-ada-48gb"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada-48gb"},
      {"rtx pro 6000", "rtx-pro-6000-96gb"},
      {"A100-80", "a100-80gb"},
      {"a100-40gb", "a100-40gb"},
      {"a100 40g", "a100-40gb"},
      {"a100 sxm 80", "a100-80gb"},
      {"A100-SXM4-40GB", "a100-40gb"},
      {"NVIDIA A100-SXM4-80GB", "a100-80gb"},
      {"a100 pcie 40", "a100-40gb-pcie"},
      {"a100-80gb-pcie", "a100-80gb-pcie"},
      {"a100 40gb mig 1g.5gb", "a100-40gb-mig-1g.5gb"},
      {"H100-80GB MIG 3g.40gb", "h100-80gb-mig-3g.40gb"},
      {"NVIDIA H100 80GB HBM3 MIG 3g.40gb", "h100-80gb-mig-3g.40gb"},
      {"h100-80gb", "h100-80gb"},
      {"h100 sxm", "h100-80gb"},
      {"h100 pcie", "h100-80gb-pcie"},
      {"h100 nvl", "h100-94gb-nvl"},
      {"h200", "h200-141gb"},
      {"B200", "b200-180gb"},
      {"Tesla T4", "t4-16gb"},
      {"t4", "t4-16gb"},
      {"Tesla V100-SXM2-32GB", "v100-32gb"},
      {"v100-16", "v100-16gb"},
      {"a10", "a10-24gb"},
      {"A10G", "a10g-24gb"},
      {"l4", "l4-24gb"},
      {"l40", "l40-48gb"},
      {"l40s", "l40s-48gb"},
  };
  for (const auto& [typed, id] : table) EXPECT_EQ(matched(typed), id) << typed;
}

TEST(CardMatch, Every_id_and_every_alias_finds_its_own_card) {
  for (const auto& file : cards_to_match().cards()) {
    EXPECT_EQ(matched(file.card.id), file.card.id);
    for (const auto& alias : file.aliases) EXPECT_EQ(matched(alias), file.card.id) << alias;
  }
}

TEST(CardMatch, An_ambiguous_name_lists_its_candidates) {
  EXPECT_EQ(matched("a100"), "'a100' could be any of 4 GPUs: a100-40gb, a100-40gb-pcie, a100-80gb, a100-80gb-pcie");
  EXPECT_EQ(matched("V100"), "'V100' could be any of 2 GPUs: v100-16gb, v100-32gb");
  EXPECT_EQ(matched("h100"), "'h100' could be any of 3 GPUs: h100-80gb, h100-80gb-pcie, h100-94gb-nvl");
  EXPECT_EQ(matched("rtx 3080"), "'rtx 3080' could be any of 2 GPUs: rtx-3080-10gb, rtx-3080-12gb");
  EXPECT_EQ(matched("4060 ti"), "'4060 ti' could be any of 2 GPUs: rtx-4060-ti-16gb, rtx-4060-ti-8gb");
  EXPECT_EQ(hint_for("a100"), "Give the full name of one.");
}

TEST(CardMatch, A_long_list_of_candidates_is_cut) {
  const auto what = matched("mig");
  EXPECT_NE(what.find("15 GPUs: "), std::string::npos) << what;
  EXPECT_TRUE(what.ends_with(" and 7 more")) << what;
}

TEST(CardMatch, An_unknown_name_gets_the_nearest_ones) {
  EXPECT_EQ(matched("rtx 3600"), "unknown GPU 'rtx 3600'");
  EXPECT_NE(hint_for("rtx 3600").find("rtx-3060-12gb"), std::string::npos) << hint_for("rtx 3600");
  EXPECT_NE(hint_for("a1000-80gb").find("a100-80gb"), std::string::npos) << hint_for("a1000-80gb");
  EXPECT_NE(hint_for("rtx 4190").find("rtx-4090-24gb"), std::string::npos) << hint_for("rtx 4190");
  EXPECT_TRUE(hint_for("rtx 3600").ends_with("Run `dryfit gpus` to list all GPUs."));
}

TEST(CardMatch, Nothing_is_suggested_that_is_far_from_the_name) {
  EXPECT_EQ(hint_for("foo"), "Run `dryfit gpus` to list all GPUs.");
  EXPECT_TRUE(likely_cards(cards_to_match(), "foo").empty());
}

TEST(CardMatch, Whole_GPUs_are_likelier_than_parts_of_them) {
  const auto likely = likely_cards(cards_to_match(), "h100");
  ASSERT_FALSE(likely.empty());
  EXPECT_EQ(likely.front()->card.id, "h100-80gb");
  EXPECT_EQ(likely_cards(cards_to_match(), "rtx 3600").front()->card.id, "rtx-3060-12gb");
}

TEST(CardMatch, A_wrong_memory_size_is_not_overlooked) {
  EXPECT_EQ(matched("rtx 3060 8gb"), "unknown GPU 'rtx 3060 8gb'");
  EXPECT_EQ(matched("a100 20gb"), "unknown GPU 'a100 20gb'");
}

TEST(CardMatch, Nothing_or_only_forgiven_words_is_no_card) {
  for (const std::string_view typed : {"", " ", "-", "nvidia", "GeForce RTX", "gb"}) {
    EXPECT_EQ(matched(typed), "unknown GPU '" + std::string(typed) + "'");
  }
}

}  // namespace
}  // namespace dryfit
