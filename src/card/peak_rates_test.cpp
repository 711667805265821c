// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/peak_rates.h"

#include <gtest/gtest.h>

#include "card/catalogue.h"

namespace dryfit {
namespace {

const Catalogue& cards_with_rates() {
  static const auto loaded = Catalogue::load(DRYFIT_SOURCE_DIR "/cards");
  return loaded.value();
}

const Card& card(const char* id) { return cards_with_rates().find(id)->card; }

TEST(PeakRates, Tensor_cores_do_what_datasheets_say) {
  const std::pair<const char*, double> tflops[] = {
      {"v100-16gb", 125},      {"t4-16gb", 65},         {"rtx-2080-ti-11gb", 53.8}, {"a100-80gb", 312},
      {"a10-24gb", 125},       {"a10g-24gb", 70},       {"rtx-3090-24gb", 71},      {"rtx-a6000-48gb", 154.8},
      {"l40-48gb", 181},       {"l40s-48gb", 362},      {"rtx-4090-24gb", 165.2},   {"h100-80gb", 989.4},
      {"h100-80gb-pcie", 756}, {"rtx-5090-32gb", 209.5}};
  for (const auto& [id, expected] : tflops) {
    const auto rates = peak_rates_of(card(id));
    ASSERT_TRUE(rates) << rates.error().what;
    EXPECT_NEAR(rates->fp16_flops / 1e12, expected, 0.03 * expected) << id;
  }
}

TEST(PeakRates, Memory_moves_what_datasheets_say) {
  const std::pair<const char*, double> gigabytes[] = {
      {"t4-16gb", 320}, {"rtx-3090-24gb", 936}, {"a100-40gb", 1555}, {"a100-80gb", 2039}, {"h100-80gb", 3350}};
  for (const auto& [id, expected] : gigabytes) {
    EXPECT_NEAR(peak_rates_of(card(id))->bytes / 1e9, expected, 0.01 * expected) << id;
  }
}

TEST(PeakRates, What_no_tensor_core_does_is_as_fast_as_fp32) {
  const auto volta = peak_rates_of(card("v100-16gb"));
  EXPECT_EQ(volta->bf16_flops, volta->fp32_flops);
  EXPECT_EQ(volta->tf32_flops, volta->fp32_flops);
  const auto ampere = peak_rates_of(card("a100-40gb"));
  EXPECT_EQ(ampere->tf32_flops, ampere->bf16_flops / 2);
  EXPECT_EQ(ampere->fp32_flops, ampere->bf16_flops / 16);
}

TEST(PeakRates, Every_card_of_the_catalogue_has_them) {
  for (const auto& file : cards_with_rates().cards()) {
    const auto rates = peak_rates_of(file.card);
    ASSERT_TRUE(rates) << file.card.id << ": " << rates.error().what;
    EXPECT_GE(rates->fp16_flops, rates->fp32_flops) << file.card.id;
    EXPECT_GT(rates->bytes, 1e10) << file.card.id;
  }
}

TEST(PeakRates, A_part_of_a_card_has_a_part_of_its_rates) {
  const auto whole = peak_rates_of(card("a100-40gb"));
  const auto part = peak_rates_of(card("a100-40gb-mig-1g.5gb"));
  EXPECT_LT(part->fp16_flops, whole->fp16_flops / 7);
  EXPECT_LT(part->bytes, whole->bytes / 7);
}

TEST(PeakRates, A_card_of_which_too_little_is_known_is_named) {
  auto unknown = card("rtx-3090-24gb");
  unknown.compute_capability = {99, 0};
  EXPECT_EQ(peak_rates_of(unknown).error().what, "the compute rates of GPUs with compute capability 99.0 are unknown");
  auto slow = card("rtx-3090-24gb");
  slow.attributes.erase(36);
  EXPECT_EQ(peak_rates_of(slow).error().what, "the GPU 'rtx-3090-24gb' has no 'memory_clock_rate'");
}

}  // namespace
}  // namespace dryfit
