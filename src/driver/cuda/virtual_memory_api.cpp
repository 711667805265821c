// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: physical memory and addresses apart (PyTorch's expandable segments).
#include <map>

#include "driver/cuda/driver.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

/// Physical memory; freed when its handle is released and nothing maps it any more.
struct Physical {
  Bytes size;
  int device;
  int references;
};

struct Mapping {
  Physical* physical;
  Bytes size;
};

std::map<Address, Mapping>& mappings() {
  static auto& all = *new std::map<Address, Mapping>;
  return all;
}

std::map<Address, int>& reservations() {
  static auto& all = *new std::map<Address, int>;
  return all;
}

std::uint64_t handle_of(const Physical* physical) { return reinterpret_cast<std::uint64_t>(physical); }

void drop_reference(Physical* physical) {
  if (--physical->references > 0) return;
  instance().device(physical->device)->discharge(trace::Purpose::physical, handle_of(physical), physical->size);
  delete physical;
}

int device_of(const CUmemAllocationProp& properties) {
  return properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? properties.location.id : 0;
}

}  // namespace

DRYFIT_API(cuMemGetAllocationGranularity)(size_t* granularity, const CUmemAllocationProp*,
                                          CUmemAllocationGranularity_flags) {
  *granularity = kPage.count;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemAddressReserve)(CUdeviceptr* address, size_t size, size_t, CUdeviceptr, unsigned long long) {
  Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  if (!address || size == 0 || size % kPage.count != 0) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  const auto reserved = device->addresses().take({size});
  if (!reserved) return CUDA_ERROR_OUT_OF_MEMORY;
  reservations()[*reserved] = device->ordinal();
  *address = *reserved;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemAddressFree)(CUdeviceptr address, size_t size) {
  const Lock lock(instance().mutex);
  const auto reservation = reservations().find(address);
  if (reservation == reservations().end()) return CUDA_ERROR_INVALID_VALUE;
  instance().device(reservation->second)->addresses().give(address, {size});
  reservations().erase(reservation);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemCreate)(CUmemGenericAllocationHandle* handle, size_t size, const CUmemAllocationProp* properties,
                        unsigned long long) {
  if (!handle || !properties || size == 0 || size % kPage.count != 0) return CUDA_ERROR_INVALID_VALUE;
  Device* const device = instance().device(device_of(*properties));
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto library = DRYFIT_CALLER;
  const Lock lock(instance().mutex);
  auto* const physical = new Physical{{size}, device->ordinal(), 1};
  if (!device->charge(trace::Purpose::physical, handle_of(physical), {size}, {size}, library)) {
    delete physical;
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *handle = handle_of(physical);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemRelease)(CUmemGenericAllocationHandle handle) {
  if (handle == 0) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  drop_reference(reinterpret_cast<Physical*>(handle));
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemMap)(CUdeviceptr address, size_t size, size_t, CUmemGenericAllocationHandle handle,
                     unsigned long long) {
  if (handle == 0 || size == 0) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  auto* const physical = reinterpret_cast<Physical*>(handle);
  ++physical->references;
  mappings()[address] = {physical, {size}};
  instance().allocations.insert(address, {.size = {size}, .kind = MemoryKind::mapped, .device = physical->device});
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemUnmap)(CUdeviceptr address, size_t size) {
  const Lock lock(instance().mutex);
  auto mapping = mappings().lower_bound(address);
  while (mapping != mappings().end() && mapping->first < address + size) {
    instance().shadow.forget(mapping->first, mapping->second.size.count);
    instance().allocations.erase(mapping->first);
    drop_reference(mapping->second.physical);
    mapping = mappings().erase(mapping);
  }
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemSetAccess)(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) { return CUDA_SUCCESS; }

DRYFIT_API(cuMemGetAccess)(unsigned long long* flags, const CUmemLocation*, CUdeviceptr) {
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemRetainAllocationHandle)(CUmemGenericAllocationHandle* handle, void* address) {
  const Lock lock(instance().mutex);
  const auto mapping = mappings().find(reinterpret_cast<Address>(address));
  if (mapping == mappings().end()) return CUDA_ERROR_INVALID_VALUE;
  ++mapping->second.physical->references;
  *handle = handle_of(mapping->second.physical);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemGetAllocationPropertiesFromHandle)(CUmemAllocationProp* properties,
                                                   CUmemGenericAllocationHandle handle) {
  if (!properties || handle == 0) return CUDA_ERROR_INVALID_VALUE;
  *properties = {};
  properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties->location.id = reinterpret_cast<const Physical*>(handle)->device;
  return CUDA_SUCCESS;
}
