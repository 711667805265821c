// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/kernel_time.h"

#include <algorithm>

#include "driver/cuda/api.h"
#include "driver/cuda/occupancy.h"

namespace dryfit::driver {

namespace {
constexpr std::uint64_t kLaunchNanoseconds = 5000;
constexpr std::uint64_t kRegisterNanoseconds = 16;
}  // namespace

std::uint64_t kernel_nanoseconds(const Card& card, const KernelFacts& kernel, const LaunchShape& shape) {
  const int per_multiprocessor = blocks_per_multiprocessor(card, kernel, shape.block_size, shape.dynamic_shared);
  const int multiprocessors = card.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  const auto at_once = static_cast<std::uint64_t>(std::max(1, per_multiprocessor) * std::max(1, multiprocessors));
  const std::uint64_t waves = shape.blocks / at_once + (shape.blocks % at_once != 0);
  const auto registers = static_cast<std::uint64_t>(std::max(1, kernel.registers));
  return kLaunchNanoseconds + waves * registers * kRegisterNanoseconds;
}

}  // namespace dryfit::driver
