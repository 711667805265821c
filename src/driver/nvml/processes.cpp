// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about the processes on a device: those of the run that hold memory there. The three versions differ in
// the structure they fill; the first has no fields for MIG instances.
#include <cstddef>

#include "driver/nvml/holders.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

constexpr unsigned int kNoInstance = 0xffffffff;

void describe(const Device&, const Holding& holder, nvmlProcessInfo_v1_t& info) {
  info = {.pid = holder.pid, .usedGpuMemory = holder.held.count};
}

void describe(const Device& device, const Holding& holder, nvmlProcessInfo_v2_t& info) {
  const unsigned int instance = is_mig_card(*device.card) ? 0 : kNoInstance;
  info = {
      .pid = holder.pid, .usedGpuMemory = holder.held.count, .gpuInstanceId = instance, .computeInstanceId = instance};
}

/// In: the room in `infos`. Out: the processes there are, also when there was too little room for them.
template <class Info>
nvmlReturn_t compute_processes(nvmlDevice_t handle, unsigned int* count, Info* infos) {
  return with_device(handle, [&](const Device& device) {
    if (count == nullptr || (*count != 0 && infos == nullptr)) return NVML_ERROR_INVALID_ARGUMENT;
    const auto holders = holders_of(device.ordinal);
    const unsigned int room = *count;
    *count = static_cast<unsigned int>(holders.size());
    if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
    for (std::size_t i = 0; i < holders.size(); ++i) describe(device, holders[i], infos[i]);
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int* count,
                                                  nvmlProcessInfo_v1_t* infos) {
  return compute_processes(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int* count,
                                                     nvmlProcessInfo_v2_t* infos) {
  return compute_processes(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* count,
                                                     nvmlProcessInfo_t* infos) {
  return compute_processes(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned int* count, nvmlProcessInfo_v1_t*) {
  return answer(device, count, 0);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned int* count, nvmlProcessInfo_v2_t*) {
  return answer(device, count, 0);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int* count, nvmlProcessInfo_t*) {
  return answer(device, count, 0);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses(nvmlDevice_t device, unsigned int* count, nvmlProcessInfo_v1_t*) {
  return answer(device, count, 0);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int* count,
                                                        nvmlProcessInfo_v2_t*) {
  return answer(device, count, 0);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* count, nvmlProcessInfo_t*) {
  return answer(device, count, 0);
}

}  // extern "C"
