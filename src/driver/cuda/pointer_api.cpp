// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Questions about pointers.

#include "driver/cuda/driver.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

template <class T>
CUresult answer(void* data, T value) {
  *static_cast<T*>(data) = value;
  return CUDA_SUCCESS;
}

CUcontext primary_context_of(const Allocation& allocation) {
  Device* const device = instance().device(allocation.device);
  return device ? reinterpret_cast<CUcontext>(device->primary_context()) : nullptr;
}

/// Attributes that need to know the allocation; null when the pointer is unknown.
CUresult answer_for(void* data, CUpointer_attribute attribute, Address address, const AllocationTable::Entry* entry) {
  if (!entry) return CUDA_ERROR_INVALID_VALUE;
  const auto& [base, allocation] = *entry;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer(data, primary_context_of(allocation));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: {
      const bool device = allocation.on_device() || allocation.kind == MemoryKind::managed;
      return answer<unsigned>(data, device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
    }
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return answer<CUdeviceptr>(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (allocation.on_device()) return CUDA_ERROR_INVALID_VALUE;
      return answer(data, reinterpret_cast<void*>(address));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer<unsigned long long>(data, base);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer<int>(data, allocation.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer<CUdeviceptr>(data, base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer<std::size_t>(data, allocation.size.count);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer<int>(data, allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::small_device);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult pointer_attribute(void* data, CUpointer_attribute attribute, Address address) {
  const auto* const entry = instance().allocations.holding(address);
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return answer<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer<int>(data, entry && entry->second.kind == MemoryKind::managed);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer<int>(data, entry != nullptr);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return answer<unsigned long long>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return answer<int>(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer<void*>(data, nullptr);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer<unsigned long long>(data, entry ? entry->first : 0);
    default:
      return answer_for(data, attribute, address, entry);
  }
}

/// What cuPointerGetAttributes writes for an attribute that a pointer does not have.
void answer_nothing(void* data, CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      answer<unsigned>(data, 0);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      answer<int>(data, -2);
      break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      answer<int>(data, 0);
      break;
    default:
      answer<void*>(data, nullptr);
  }
}

}  // namespace

DRYFIT_API(cuPointerGetAttribute)(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  if (!data) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  return pointer_attribute(data, attribute, address);
}

DRYFIT_API(cuPointerGetAttributes)(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  if (!attributes || !data) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  for (unsigned i = 0; i < count; ++i) {
    if (pointer_attribute(data[i], attributes[i], address) != CUDA_SUCCESS) answer_nothing(data[i], attributes[i]);
  }
  return CUDA_SUCCESS;
}

DRYFIT_API(cuPointerSetAttribute)(const void*, CUpointer_attribute, CUdeviceptr) { return CUDA_SUCCESS; }
