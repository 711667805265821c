// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/device.h"

#include <gtest/gtest.h>

namespace dryfit::driver {
namespace {

using namespace literals;

Device device_with(Bytes total, Bytes launch_memory) {
  constexpr Address kBegin = 1ull << 40;
  Card card;
  card.id = "test-card";
  card.total_memory = total;
  card.context_memory = 100_MiB;
  card.launch_memory = launch_memory;
  static MemoryLedger ledger;
  ledger.forget();
  return {0, 0, card, AddressSpace(kBegin, kBegin + (4_GiB).count, AddressOrder::ascending), ledger};
}

TEST(Device, The_first_code_brings_what_running_kernels_need_and_later_code_does_not) {
  auto device = device_with(1_GiB, 30_MiB);
  ASSERT_TRUE(device.activate(*device.primary_context()));
  EXPECT_EQ(device.used(), 100_MiB);
  ASSERT_TRUE(device.load_code(10_KiB, trace::NameId{0}));
  EXPECT_EQ(device.used(), 132_MiB) << "and one page of code";
  ASSERT_TRUE(device.load_code(10_KiB, trace::NameId{0}));
  EXPECT_EQ(device.used(), 132_MiB);
}

TEST(Device, No_room_for_what_running_kernels_need_is_out_of_memory_and_takes_nothing) {
  auto device = device_with(120_MiB, 30_MiB);
  ASSERT_TRUE(device.activate(*device.primary_context()));
  EXPECT_FALSE(device.load_code(10_KiB, trace::NameId{0}));
  EXPECT_EQ(device.used(), 100_MiB);
}

}  // namespace
}  // namespace dryfit::driver
