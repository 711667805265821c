// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Memory pools: cuMemAllocAsync and its relatives. Work on the modelled card is done at once, so a pool never holds
// memory back.
#include "driver/cuda/driver.h"
#include "driver/cuda/memory.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

struct Pool {
  int device = 0;
  cuuint64_t release_threshold = 0;
};

Pool* default_pool(CUdevice ordinal) {
  static Pool* const pools = [] {
    auto* const all = new Pool[kMostDevices];
    for (int i = 0; i < kMostDevices; ++i) all[i].device = i;
    return all;
  }();
  return ordinal >= 0 && ordinal < kMostDevices ? &pools[ordinal] : nullptr;
}

CUresult give_default_pool(CUmemoryPool* pool, CUdevice ordinal) {
  if (!instance().device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *pool = reinterpret_cast<CUmemoryPool>(default_pool(ordinal));
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuMemAllocAsync)(CUdeviceptr* address, size_t size, CUstream) {
  return allocate_on_device(address, {size}, trace::Purpose::pool, DRYFIT_CALLER);
}

DRYFIT_API(cuMemAllocFromPoolAsync)(CUdeviceptr* address, size_t size, CUmemoryPool, CUstream) {
  return allocate_on_device(address, {size}, trace::Purpose::pool, DRYFIT_CALLER);
}

DRYFIT_API(cuMemFreeAsync)(CUdeviceptr address, CUstream) { return free_on_device(address); }

DRYFIT_API(cuDeviceGetDefaultMemPool)(CUmemoryPool* pool, CUdevice ordinal) { return give_default_pool(pool, ordinal); }
DRYFIT_API(cuDeviceGetMemPool)(CUmemoryPool* pool, CUdevice ordinal) { return give_default_pool(pool, ordinal); }
DRYFIT_API(cuMemGetDefaultMemPool)(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType) {
  return give_default_pool(pool, location->id);
}
DRYFIT_API(cuMemGetMemPool)(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType) {
  return give_default_pool(pool, location->id);
}
DRYFIT_API(cuDeviceSetMemPool)(CUdevice, CUmemoryPool) { return CUDA_SUCCESS; }
DRYFIT_API(cuMemSetMemPool)(CUmemLocation*, CUmemAllocationType, CUmemoryPool) { return CUDA_SUCCESS; }

DRYFIT_API(cuMemPoolCreate)(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (!pool || !properties) return CUDA_ERROR_INVALID_VALUE;
  *pool = reinterpret_cast<CUmemoryPool>(new Pool{.device = properties->location.id});
  return CUDA_SUCCESS;
}

// The few bytes of a pool are kept: the handle may still be used by a stream's late work.
DRYFIT_API(cuMemPoolDestroy)(CUmemoryPool) { return CUDA_SUCCESS; }
DRYFIT_API(cuMemPoolTrimTo)(CUmemoryPool, size_t) { return CUDA_SUCCESS; }
DRYFIT_API(cuMemPoolSetAccess)(CUmemoryPool, const CUmemAccessDesc*, size_t) { return CUDA_SUCCESS; }

DRYFIT_API(cuMemPoolGetAccess)(CUmemAccess_flags* flags, CUmemoryPool, CUmemLocation*) {
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemPoolSetAttribute)(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    reinterpret_cast<Pool*>(handle)->release_threshold = *static_cast<cuuint64_t*>(value);
  }
  return CUDA_SUCCESS;
}

DRYFIT_API(cuMemPoolGetAttribute)(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      *static_cast<int*>(value) = 1;
      break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      *static_cast<cuuint64_t*>(value) = reinterpret_cast<Pool*>(handle)->release_threshold;
      break;
    default:
      *static_cast<cuuint64_t*>(value) = 0;
  }
  return CUDA_SUCCESS;
}
