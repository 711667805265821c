// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/occupancy.h"

#include <gtest/gtest.h>

#include "driver/cuda/api.h"

namespace dryfit::driver {
namespace {

Card ampere_card() {
  Card card;
  card.attributes = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536},
                     {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
                     {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 102400},
                     {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 101376},
                     {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
                     {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 16},
                     {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 28}};
  return card;
}

TEST(Occupancy, Threads_limit_a_light_kernel) {
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 256, 0), 6);
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 1024, 0), 1);
}

TEST(Occupancy, Registers_limit_a_heavy_kernel) {
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 255}, 256, 0), 1);
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 64}, 256, 0), 4);
}

TEST(Occupancy, Shared_memory_counts_with_the_reserved_part_of_each_block) {
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 64, 49152), 2);
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 64, 50176), 2);
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 64, 50304), 1);
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 64, 101376), 1);
}

TEST(Occupancy, The_chip_holds_no_more_blocks_than_it_can) {
  EXPECT_EQ(blocks_per_multiprocessor(ampere_card(), {.registers = 16}, 32, 0), 16);
}

TEST(Occupancy, Clusters_stay_inside_their_part_of_the_chip) {
  Card card = ampere_card();
  card.gpc_multiprocessors = {18, 18, 16, 16};
  EXPECT_EQ(active_clusters(card, 1, 16), 4);
  EXPECT_EQ(active_clusters(card, 1, 2), 34);
  EXPECT_EQ(active_clusters(card, 1, 17), 2);
}

TEST(Occupancy, Available_shared_memory_leaves_room_for_the_reserved_part) {
  EXPECT_EQ(available_shared_memory(ampere_card(), {}, 1), 101376u);
  EXPECT_EQ(available_shared_memory(ampere_card(), {}, 2), 50176u);
  EXPECT_EQ(available_shared_memory(ampere_card(), {.shared_memory = {1024}}, 2), 49152u);
}

}  // namespace
}  // namespace dryfit::driver
