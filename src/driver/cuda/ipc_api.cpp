// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Sharing device memory between processes. A handle carries what the other side needs; the memory stays charged to
// the process that allocated it, so memory that several processes map counts once.
#include <cstring>

#include "driver/cuda/driver.h"
#include "driver/cuda/stream.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

struct SharedMemory {
  std::uint64_t size;
  std::int32_t slot;  ///< of the device in the machine: each process may number devices in its own way
};
static_assert(sizeof(SharedMemory) <= sizeof(CUipcMemHandle));

}  // namespace

DRYFIT_API(cuIpcGetMemHandle)(CUipcMemHandle* handle, CUdeviceptr address) {
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  const auto* const entry = instance().allocations.holding(address);
  if (!entry || !entry->second.on_device()) return CUDA_ERROR_INVALID_VALUE;
  const SharedMemory shared{entry->second.size.count, instance().device(entry->second.device)->slot()};
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &shared, sizeof shared);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuIpcOpenMemHandle_v2)(CUdeviceptr* address, CUipcMemHandle handle, unsigned) {
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  SharedMemory shared;
  std::memcpy(&shared, &handle, sizeof shared);
  Device* const device = instance().device_in_slot(shared.slot);
  if (!device || shared.size == 0) return CUDA_ERROR_INVALID_HANDLE;
  const Lock lock(instance().mutex);
  const auto place = device->addresses().take(round_up({shared.size}, kPage));
  if (!place) return CUDA_ERROR_OUT_OF_MEMORY;
  instance().allocations.insert(*place,
                                {.size = {shared.size}, .kind = MemoryKind::imported, .device = device->ordinal()});
  *address = *place;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuIpcCloseMemHandle)(CUdeviceptr address) {
  const Lock lock(instance().mutex);
  const auto* const entry = instance().allocations.starting_at(address);
  if (!entry || entry->second.kind != MemoryKind::imported) return CUDA_ERROR_INVALID_VALUE;
  const Allocation imported = entry->second;
  instance().device(imported.device)->addresses().give(address, round_up(imported.size, kPage));
  instance().allocations.erase(address);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuIpcGetEventHandle)(CUipcEventHandle* handle, CUevent) {
  std::memset(handle, 0, sizeof *handle);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuIpcOpenEventHandle)(CUevent* event, CUipcEventHandle) {
  *event = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}
