// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "harvest_counts.h"

#include <gtest/gtest.h>

namespace dryfit::cli {
namespace {

const HarvestJob kJob{"torchvision", "resnet50", 8, 0, "adamw", "fp32", false, "a100-40gb"};

Card chip(int major, int minor) {
  Card card;
  card.compute_capability = {major, minor};
  return card;
}

TEST(HarvestCounts, PyTorch_counts_while_measuring_up_to_2_9) {
  for (const char* version : {"2.5.1", "2.6.0", "2.9.1+cu128"}) EXPECT_TRUE(may_count_while_measuring(version));
  for (const char* version : {"2.10.0", "2.15.0+cu132", "3.0.0"}) EXPECT_FALSE(may_count_while_measuring(version));
}

TEST(HarvestCounts, Cards_of_one_chip_and_optimizers_share_a_count) {
  HarvestCounts counts;
  EXPECT_EQ(counts.find(kJob, chip(8, 0)), nullptr);
  counts.put(kJob, chip(8, 0), {.steps = {7}, .last_step = {}, .uncounted = {}});
  auto other = kJob;
  other.optimizer = "momentum";
  other.card = "a100-80gb";
  ASSERT_NE(counts.find(other, chip(8, 0)), nullptr);
  EXPECT_EQ(counts.find(other, chip(8, 0))->steps.back(), 7u);
}

TEST(HarvestCounts, What_changes_the_work_has_a_count_of_its_own) {
  HarvestCounts counts;
  counts.put(kJob, chip(8, 0), {});
  EXPECT_EQ(counts.find(kJob, chip(9, 0)), nullptr);
  const auto changed = [&](auto change) {
    auto job = kJob;
    change(job);
    return counts.find(job, chip(8, 0));
  };
  EXPECT_EQ(changed([](HarvestJob& job) { job.model = "resnet18"; }), nullptr);
  EXPECT_EQ(changed([](HarvestJob& job) { job.batch = 16; }), nullptr);
  EXPECT_EQ(changed([](HarvestJob& job) { job.size = 64; }), nullptr);
  EXPECT_EQ(changed([](HarvestJob& job) { job.precision = "bf16"; }), nullptr);
  EXPECT_EQ(changed([](HarvestJob& job) { job.checkpointing = true; }), nullptr);
  EXPECT_EQ(changed([](HarvestJob& job) { job.optimizer = "adafactor"; }), nullptr);
}

}  // namespace
}  // namespace dryfit::cli
