// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/kernel_time.h"

#include <gtest/gtest.h>

#include "driver/cuda/api.h"

namespace dryfit::driver {
namespace {

Card card_of(int multiprocessors) {
  Card card;
  card.attributes = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 1536},
                     {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
                     {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 102400},
                     {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 16},
                     {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, multiprocessors}};
  return card;
}

std::uint64_t time_of(int multiprocessors, int registers, LaunchShape shape) {
  return kernel_nanoseconds(card_of(multiprocessors), {.registers = registers}, shape);
}

TEST(KernelTime, Blocks_that_run_at_once_take_no_longer_than_one) {
  EXPECT_EQ(time_of(28, 32, {1, 256}), time_of(28, 32, {28 * 6, 256}));
}

TEST(KernelTime, The_first_block_too_many_makes_another_wave) {
  const auto one = time_of(28, 32, {28 * 6, 256});
  const auto two = time_of(28, 32, {28 * 6 + 1, 256});
  const auto three = time_of(28, 32, {28 * 12 + 1, 256});
  EXPECT_GT(two, one);
  EXPECT_EQ(three - two, two - one);
}

TEST(KernelTime, More_work_per_thread_takes_longer_and_a_larger_card_is_faster) {
  const LaunchShape large{100'000, 128};
  EXPECT_GT(time_of(28, 64, large), time_of(28, 32, large));
  EXPECT_LT(time_of(108, 64, large), time_of(28, 64, large));
}

TEST(KernelTime, A_shape_that_could_not_run_still_has_a_time) {
  EXPECT_GT(time_of(28, 255, {7, 4096}), 0u);
  EXPECT_GT(kernel_nanoseconds(Card{}, {}, {0, 0}), 0u);
}

}  // namespace
}  // namespace dryfit::driver
