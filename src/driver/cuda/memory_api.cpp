// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Memory: device allocations, page-locked and managed host memory.
#include <sys/mman.h>

#include "driver/cuda/driver.h"
#include "driver/cuda/memory.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace dryfit::driver {

CUresult allocate_on_device(CUdeviceptr* address, Bytes size, trace::Purpose purpose, trace::NameId library) {
  if (!address || size.count == 0) return CUDA_ERROR_INVALID_VALUE;
  Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  const auto placed = device->place(size, purpose, library);
  if (!placed) return CUDA_ERROR_OUT_OF_MEMORY;
  instance().allocations.insert(placed->address, {.size = size,
                                                  .charged = placed->charged,
                                                  .kind = placed->small ? MemoryKind::small_device : MemoryKind::device,
                                                  .device = device->ordinal(),
                                                  .purpose = purpose});
  *address = placed->address;
  return CUDA_SUCCESS;
}

CUresult free_on_device(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  const Lock lock(instance().mutex);
  const auto* const entry = instance().allocations.starting_at(address);
  if (!entry) return CUDA_ERROR_INVALID_VALUE;
  const Allocation allocation = entry->second;
  switch (allocation.kind) {
    case MemoryKind::managed:
      munmap(reinterpret_cast<void*>(address), allocation.size.count);
      break;
    case MemoryKind::device:
    case MemoryKind::small_device:
      instance().shadow.forget(address, allocation.size.count);
      instance()
          .device(allocation.device)
          ->remove({address, allocation.charged, allocation.kind == MemoryKind::small_device}, allocation.purpose);
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  instance().allocations.erase(address);
  return CUDA_SUCCESS;
}

}  // namespace dryfit::driver

namespace {

constexpr Bytes kPitchGranule{512};

/// Untouched pages cost the host nothing; an empty request still gets an address of its own.
void* map_host_memory(Bytes size) {
  void* const memory =
      mmap(nullptr, size.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

int device_of_caller() {
  const Device* const device = current_device();
  return device ? device->ordinal() : 0;
}

CUresult allocate_host(void** out, Bytes size, MemoryKind kind) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  if (size.count == 0) size = {1};
  void* const memory = map_host_memory(size);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  const Lock lock(instance().mutex);
  instance().allocations.insert(reinterpret_cast<Address>(memory),
                                {.size = size, .kind = kind, .device = device_of_caller()});
  *out = memory;
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuMemAlloc_v2)(CUdeviceptr* address, size_t size) {
  return allocate_on_device(address, {size}, trace::Purpose::allocation, DRYFIT_CALLER);
}

DRYFIT_API(cuMemFree_v2)(CUdeviceptr address) { return free_on_device(address); }

DRYFIT_API(cuMemAllocPitch_v2)(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned) {
  if (!pitch) return CUDA_ERROR_INVALID_VALUE;
  *pitch = round_up({width}, kPitchGranule).count;
  return allocate_on_device(address, {*pitch * height}, trace::Purpose::allocation, DRYFIT_CALLER);
}

DRYFIT_API(cuMemAllocManaged)(CUdeviceptr* address, size_t size, unsigned) {
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate_host(reinterpret_cast<void**>(address), {size}, MemoryKind::managed);
}

DRYFIT_API(cuMemGetInfo_v2)(size_t* free, size_t* total) {
  Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  const Lock lock(instance().mutex);
  if (total) *total = device->card().total_memory.count;
  if (free) *free = device->free().count;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemGetAddressRange_v2)(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  const Lock lock(instance().mutex);
  const auto* const entry = instance().allocations.holding(address);
  if (!entry) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = entry->first;
  if (size) *size = entry->second.size.count;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemHostAlloc)(void** memory, size_t size, unsigned) {
  return allocate_host(memory, {size}, MemoryKind::host);
}

DRYFIT_API(cuMemAllocHost_v2)(void** memory, size_t size) { return allocate_host(memory, {size}, MemoryKind::host); }

DRYFIT_API(cuMemFreeHost)(void* memory) {
  const Lock lock(instance().mutex);
  const auto* const entry = instance().allocations.starting_at(reinterpret_cast<Address>(memory));
  if (!entry || entry->second.kind != MemoryKind::host) return CUDA_ERROR_INVALID_VALUE;
  munmap(memory, entry->second.size.count);
  instance().allocations.erase(entry->first);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemHostRegister_v2)(void* memory, size_t size, unsigned) {
  if (!memory || size == 0) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  if (instance().allocations.starting_at(reinterpret_cast<Address>(memory))) {
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  instance().allocations.insert(reinterpret_cast<Address>(memory),
                                {.size = {size}, .kind = MemoryKind::host_registered, .device = device_of_caller()});
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemHostUnregister)(void* memory) {
  const Lock lock(instance().mutex);
  const auto* const entry = instance().allocations.starting_at(reinterpret_cast<Address>(memory));
  if (!entry || entry->second.kind != MemoryKind::host_registered) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  instance().allocations.erase(entry->first);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemHostGetDevicePointer_v2)(CUdeviceptr* address, void* memory, unsigned) {
  if (!address || !memory) return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemHostGetFlags)(unsigned* flags, void*) {
  *flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemAdvise)(CUdeviceptr, size_t, CUmem_advise, CUdevice) { return CUDA_SUCCESS; }
DRYFIT_API(cuMemAdvise_v2)(CUdeviceptr, size_t, CUmem_advise, CUmemLocation) { return CUDA_SUCCESS; }
DRYFIT_API(cuMemPrefetchAsync)(CUdeviceptr, size_t, CUdevice, CUstream) { return CUDA_SUCCESS; }
DRYFIT_API(cuMemPrefetchAsync_v2)(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream) { return CUDA_SUCCESS; }
