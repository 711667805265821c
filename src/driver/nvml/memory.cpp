// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about device memory. The total is what CUDA reports for the card, so that both libraries agree;
// a real NVML also counts what the driver keeps for itself.
#include <cuda.h>

#include <algorithm>
#include <bit>

#include "driver/nvml/chip.h"
#include "driver/nvml/holders.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;
using namespace dryfit::literals;

namespace {

constexpr Bytes kSmallBar = 256_MiB;

/// GeForce cards and Turing map a window of their memory, larger cards all of it. Derived; nothing depends on it.
Bytes bar1_size(const Card& card) {
  if (is_geforce(card) || architecture_of(card) <= NVML_DEVICE_ARCH_TURING) return kSmallBar;
  return {std::bit_ceil(card.total_memory.count)};
}

Bytes used_memory(const Device& device) {
  Bytes sum;
  for (const auto& holder : holders_of(device.ordinal)) sum += holder.held;
  return std::min(sum, device.card->total_memory);
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  return answer(device, memory, [](const Device& it) {
    const Bytes total = it.card->total_memory;
    const Bytes used = used_memory(it);
    return nvmlMemory_t{.total = total.count, .free = (total - used).count, .used = used.count};
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  return with_device(device, [&](const Device& it) {
    if (memory == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const Bytes total = it.card->total_memory;
    const Bytes used = used_memory(it);
    memory->total = total.count;
    memory->reserved = 0;
    memory->free = (total - used).count;
    memory->used = used.count;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t* memory) {
  return answer(device, memory, [](const Device& it) {
    const auto total = bar1_size(*it.card).count;
    return nvmlBAR1Memory_t{.bar1Total = total, .bar1Free = total, .bar1Used = 0};
  });
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int* width) {
  return answer(device, width, [](const Device& it) {
    return static_cast<unsigned>(it.card->attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
  });
}

}  // extern "C"
