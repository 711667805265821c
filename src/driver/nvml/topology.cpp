// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about how devices and processors are connected: one host bridge, one memory node, no NVLink.
#include <sched.h>

#include <algorithm>
#include <vector>

#include "driver/nvml/cuda_library.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

constexpr unsigned int kBitsPerWord = 8 * sizeof(unsigned long);

nvmlGpuP2PStatus_t peer_status(int ordinal, int peer, nvmlGpuP2PCapsIndex_t capability) {
  const bool over_pci = capability == NVML_P2P_CAPS_INDEX_READ || capability == NVML_P2P_CAPS_INDEX_WRITE ||
                        capability == NVML_P2P_CAPS_INDEX_PCI;
  if (!over_pci) return NVML_P2P_STATUS_NOT_SUPPORTED;
  return peers_can_access(ordinal, peer) ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_CHIPSET_NOT_SUPPORTED;
}

/// Every processor this process may run on, in the caller's words of bits; what does not fit is left out.
nvmlReturn_t allowed_processors(unsigned int words, unsigned long* out) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return NVML_ERROR_UNKNOWN;
  std::fill_n(out, words, 0UL);
  for (unsigned int cpu = 0; cpu < std::min<unsigned int>(words * kBitsPerWord, CPU_SETSIZE); ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) out[cpu / kBitsPerWord] |= 1UL << (cpu % kBitsPerWord);
  }
  return NVML_SUCCESS;
}

nvmlReturn_t cpu_affinity(nvmlDevice_t device, unsigned int words, unsigned long* out) {
  return with_device(device, [&](const Device&) {
    if (words == 0 || out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return allowed_processors(words, out);
  });
}

/// NVML's convention for lists of devices: called with a count of zero, it returns the count; otherwise it fills in up
/// to that many.
nvmlReturn_t copy_devices(const std::vector<nvmlDevice_t>& found, unsigned int* count, nvmlDevice_t* out) {
  if (count == nullptr || (*count != 0 && out == nullptr)) return NVML_ERROR_INVALID_ARGUMENT;
  const auto available = static_cast<unsigned int>(found.size());
  if (*count == 0) {
    *count = available;
    return NVML_SUCCESS;
  }
  *count = std::min(*count, available);
  std::copy_n(found.begin(), *count, out);
  return NVML_SUCCESS;
}

std::vector<nvmlDevice_t> devices_except(const Machine& machine, int except) {
  std::vector<nvmlDevice_t> devices;
  for (int ordinal = 0; ordinal < static_cast<int>(machine.cards.size()); ++ordinal) {
    if (ordinal != except) devices.push_back(handle_of(ordinal));
  }
  return devices;
}

bool is_processor(unsigned int number) {
  cpu_set_t allowed;
  return number < CPU_SETSIZE && sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_ISSET(number, &allowed);
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device, nvmlDevice_t peer, nvmlGpuP2PCapsIndex_t capability,
                                    nvmlGpuP2PStatus_t* status) {
  return with_device(peer, [&](const Device& second) {
    return answer(device, status,
                  [&](const Device& first) { return peer_status(first.ordinal, second.ordinal, capability); });
  });
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device, nvmlDevice_t other,
                                                 nvmlGpuTopologyLevel_t* level) {
  return with_device(other, [&](const Device& second) {
    return answer(device, level, [&](const Device& first) {
      return first.ordinal == second.ordinal ? NVML_TOPOLOGY_INTERNAL : NVML_TOPOLOGY_HOSTBRIDGE;
    });
  });
}

nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level, unsigned int* count,
                                              nvmlDevice_t* devices) {
  return with_machine([&](const Machine& machine) {
    const auto it = device_of(machine, device);
    if (!it) return NVML_ERROR_INVALID_ARGUMENT;
    if (level != NVML_TOPOLOGY_HOSTBRIDGE) return copy_devices({}, count, devices);
    return copy_devices(devices_except(machine, it->ordinal), count, devices);
  });
}

nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned int processor, unsigned int* count, nvmlDevice_t* devices) {
  return with_machine([&](const Machine& machine) {
    if (!is_processor(processor)) return NVML_ERROR_INVALID_ARGUMENT;
    return copy_devices(devices_except(machine, -1), count, devices);
  });
}

nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int words, unsigned long* processors) {
  return cpu_affinity(device, words, processors);
}

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int words, unsigned long* processors,
                                                 nvmlAffinityScope_t) {
  return cpu_affinity(device, words, processors);
}

nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int words, unsigned long* nodes,
                                         nvmlAffinityScope_t) {
  return with_device(device, [&](const Device&) {
    if (words == 0 || nodes == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    std::fill_n(nodes, words, 0UL);
    nodes[0] = 1;
    return NVML_SUCCESS;
  });
}

// The ideal processors are those the thread already has, so there is nothing to set and nothing to clear.
nvmlReturn_t nvmlDeviceSetCpuAffinity(nvmlDevice_t device) {
  return with_device(device, [](const Device&) { return NVML_SUCCESS; });
}

nvmlReturn_t nvmlDeviceClearCpuAffinity(nvmlDevice_t device) {
  return with_device(device, [](const Device&) { return NVML_SUCCESS; });
}

}  // extern "C"
