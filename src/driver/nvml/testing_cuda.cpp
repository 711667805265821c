// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Enough of a libcuda.so.1 for the queries of the stand-in NVML: as under CUDA_VISIBLE_DEVICES=1,0, CUDA device 0 is
// the second card of the machine and CUDA device 1 the first; further cards are hidden.
#include "driver/nvml/testing_cuda.h"

#include <cuda.h>

#include <atomic>
#include <string_view>

#include "dryfit/guest.h"

namespace {

std::atomic<std::uint64_t> used_by_device[2];

}  // namespace

extern "C" {

void testing_set_used(int cuda_device, std::uint64_t bytes) { used_by_device[cuda_device] = bytes; }

int dryfit_guest_version() { return DRYFIT_GUEST_VERSION; }

std::uint64_t dryfit_device_used(int device) { return device >= 0 && device < 2 ? used_by_device[device].load() : 0; }

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* bus_id) {
  const std::string_view text = bus_id;
  if (text != "0000:01:00.0" && text != "0000:02:00.0") return CUDA_ERROR_INVALID_DEVICE;
  *device = text == "0000:02:00.0" ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice device, CUdevice peer) {
  *can_access = device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}

}  // extern "C"
