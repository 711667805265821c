// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/occupancy.h"

#include <algorithm>
#include <limits>

#include "driver/cuda/api.h"

namespace dryfit::driver {

namespace {

constexpr int kRegisterGranulePerWarp = 256;
constexpr std::size_t kSharedGranule = 128;

int round_up_to(int value, int granule) { return (value + granule - 1) / granule * granule; }

std::size_t reserved_shared(const Card& card) {
  return static_cast<std::size_t>(card.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
}

int limit_by_registers(const Card& card, const KernelFacts& kernel, int warps) {
  const int per_warp = round_up_to(kernel.registers * kWarp, kRegisterGranulePerWarp);
  if (per_warp == 0) return std::numeric_limits<int>::max();
  const int registers = card.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  return registers / per_warp / kWarpGranule * kWarpGranule / warps;
}

int limit_by_shared_memory(const Card& card, const KernelFacts& kernel, std::size_t dynamic_shared) {
  std::size_t need = kernel.shared_memory.count + dynamic_shared + reserved_shared(card);
  need = (need + kSharedGranule - 1) / kSharedGranule * kSharedGranule;
  if (need == 0) return std::numeric_limits<int>::max();
  const auto available =
      static_cast<std::size_t>(card.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  return static_cast<int>(available / need);
}

}  // namespace

int blocks_per_multiprocessor(const Card& card, const KernelFacts& kernel, int block_size, std::size_t dynamic_shared) {
  if (block_size <= 0) return 0;
  const int warps = (block_size + kWarp - 1) / kWarp;
  const int by_threads = card.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / kWarp / warps;
  return std::min({limit_by_registers(card, kernel, warps), by_threads,
                   limit_by_shared_memory(card, kernel, dynamic_shared),
                   card.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)});
}

std::size_t available_shared_memory(const Card& card, const KernelFacts& kernel, int blocks) {
  const auto per_multiprocessor =
      static_cast<std::size_t>(card.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  const auto per_block =
      static_cast<std::size_t>(card.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  const std::size_t share = per_multiprocessor / static_cast<std::size_t>(std::max(blocks, 1));
  const std::size_t taken = reserved_shared(card) + kernel.shared_memory.count;
  return share > taken ? std::min(per_block, share - taken) : 0;
}

int active_clusters(const Card& card, int per_multiprocessor, int cluster_size) {
  const int size = std::max(cluster_size, 1);
  if (card.gpc_multiprocessors.empty()) {
    return card.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) * per_multiprocessor / size;
  }
  int clusters = 0;
  for (const int multiprocessors : card.gpc_multiprocessors) clusters += multiprocessors * per_multiprocessor / size;
  return clusters;
}

}  // namespace dryfit::driver
