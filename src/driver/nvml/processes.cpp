// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about the processes on a device: the calling one, once it holds memory there. The three versions differ
// in the structure they fill; the first has no fields for MIG instances.
#include <unistd.h>

#include "driver/nvml/cuda_library.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

constexpr unsigned int kNoInstance = 0xffffffff;

void describe_self(const Device&, Bytes used, nvmlProcessInfo_v1_t* info) {
  *info = {.pid = static_cast<unsigned>(getpid()), .usedGpuMemory = used.count};
}

void describe_self(const Device& device, Bytes used, nvmlProcessInfo_v2_t* info) {
  const unsigned int instance = is_mig_card(*device.card) ? 0 : kNoInstance;
  *info = {.pid = static_cast<unsigned>(getpid()),
           .usedGpuMemory = used.count,
           .gpuInstanceId = instance,
           .computeInstanceId = instance};
}

/// In: the room in `infos`. Out: the processes there are, also when there was too little room for them.
template <class Info>
nvmlReturn_t compute_processes(nvmlDevice_t handle, unsigned int* count, Info* infos) {
  return with_device(handle, [&](const Device& device) {
    if (count == nullptr || (*count != 0 && infos == nullptr)) return NVML_ERROR_INVALID_ARGUMENT;
    const Bytes used = used_memory(device.ordinal);
    const unsigned int room = *count;
    *count = used > Bytes{0} ? 1 : 0;
    if (room < *count) return NVML_ERROR_INSUFFICIENT_SIZE;
    if (*count == 1) describe_self(device, used, infos);
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
