// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/context_model.h"

#include <gtest/gtest.h>

#include "card/attribute_names.h"

namespace dryfit {
namespace {

using namespace literals;

Card card_of(int multiprocessors, int threads) {
  Card card;
  card.attributes = {{attribute_number("multiprocessor_count").value(), multiprocessors},
                     {attribute_number("max_threads_per_multiprocessor").value(), threads}};
  return card;
}

/// Within so many MiB.
void expect_near(Bytes modelled, std::uint64_t measured, std::uint64_t within) {
  EXPECT_GE(modelled + Bytes{within << 20}, Bytes{measured << 20});
  EXPECT_LE(modelled, Bytes{(measured + within) << 20});
}

TEST(ContextModel, The_idle_contexts_that_were_measured_lie_within_12_MiB_of_the_line) {
  expect_near(modelled_context_memory(card_of(40, 1024)), 110, 12);   // T4
  expect_near(modelled_context_memory(card_of(34, 1536)), 107, 12);   // RTX 4060 Ti
  expect_near(modelled_context_memory(card_of(82, 1536)), 256, 12);   // RTX 3090
  expect_near(modelled_context_memory(card_of(108, 2048)), 421, 12);  // A100
  expect_near(modelled_context_memory(card_of(142, 1536)), 426, 12);  // RTX 6000 Ada
  expect_near(modelled_context_memory(card_of(188, 1536)), 555, 12);  // RTX PRO 6000
}

TEST(ContextModel, The_launch_memory_of_the_xMem_cards_lies_within_1_MiB_of_the_line) {
  expect_near(modelled_launch_memory(card_of(28, 1536)), 8, 1);    // RTX 3060
  expect_near(modelled_launch_memory(card_of(24, 1536)), 4, 1);    // RTX 4060
  expect_near(modelled_launch_memory(card_of(108, 2048)), 68, 1);  // A100
}

TEST(ContextModel, A_tiny_card_takes_nothing_beside_its_context) {
  EXPECT_EQ(modelled_launch_memory(card_of(4, 1024)), 0_B);
}

}  // namespace
}  // namespace dryfit
