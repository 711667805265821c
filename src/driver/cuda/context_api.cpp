// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Contexts: primary ones, of which each device has one, and those that a program creates for itself.
#include <utility>

#include "driver/cuda/driver.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

/// Defaults a fresh context reports, by CUlimit.
std::size_t default_limit(CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      return 1024;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return 1 << 20;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return 8 << 20;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      return 2;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return 2048;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      return 64;
    default:
      return 0;
  }
}

Context* given_or_current(CUcontext context) {
  return context ? reinterpret_cast<Context*>(context) : current_context();
}

CUresult create(CUcontext* out, unsigned flags, CUdevice ordinal) {
  Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  auto* const context = new Context{.device = ordinal, .id = next_id(), .flags = flags};
  if (!device->activate(*context) || !push_context(context)) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUcontext>(context);
  return CUDA_SUCCESS;
}

CUresult release_primary(CUdevice ordinal) {
  Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const Lock lock(instance().mutex);
  if (device->primary_retains > 0) --device->primary_retains;
  return CUDA_SUCCESS;
}

CUresult set_primary_flags(CUdevice ordinal, unsigned flags) {
  Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const Lock lock(instance().mutex);
  device->primary_flags = flags;
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice ordinal) {
  Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const Lock lock(instance().mutex);
  Context* const primary = device->primary_context();
  if (!device->activate(*primary)) return CUDA_ERROR_OUT_OF_MEMORY;
  ++device->primary_retains;
  *context = reinterpret_cast<CUcontext>(primary);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDevicePrimaryCtxRelease_v2)(CUdevice ordinal) { return release_primary(ordinal); }
DRYFIT_API(cuDevicePrimaryCtxRelease)(CUdevice ordinal) { return release_primary(ordinal); }
DRYFIT_API(cuDevicePrimaryCtxSetFlags_v2)(CUdevice ordinal, unsigned flags) {
  return set_primary_flags(ordinal, flags);
}
DRYFIT_API(cuDevicePrimaryCtxSetFlags)(CUdevice ordinal, unsigned flags) { return set_primary_flags(ordinal, flags); }
DRYFIT_API(cuDevicePrimaryCtxReset_v2)(CUdevice) { return CUDA_SUCCESS; }
DRYFIT_API(cuDevicePrimaryCtxReset)(CUdevice) { return CUDA_SUCCESS; }

DRYFIT_API(cuDevicePrimaryCtxGetState)(CUdevice ordinal, unsigned* flags, int* active) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const Lock lock(instance().mutex);
  *flags = device->primary_flags;
  *active = device->primary_active();
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxCreate_v2)(CUcontext* context, unsigned flags, CUdevice ordinal) {
  return create(context, flags, ordinal);
}

DRYFIT_API(cuCtxCreate_v3)(CUcontext* context, CUexecAffinityParam*, int, unsigned flags, CUdevice ordinal) {
  return create(context, flags, ordinal);
}

DRYFIT_API(cuCtxCreate_v4)(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice ordinal) {
  return create(context, flags, ordinal);
}

DRYFIT_API(cuCtxDestroy_v2)(CUcontext context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (current_context() == reinterpret_cast<Context*>(context)) pop_context();
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxPushCurrent_v2)(CUcontext context) {
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  return push_context(reinterpret_cast<Context*>(context)) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRYFIT_API(cuCtxPopCurrent_v2)(CUcontext* context) {
  Context* const top = pop_context();
  if (!top) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = reinterpret_cast<CUcontext>(top);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxSetCurrent)(CUcontext context) {
  set_current_context(reinterpret_cast<Context*>(context));
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetCurrent)(CUcontext* context) {
  if (!instance().initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  *context = reinterpret_cast<CUcontext>(current_context());
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetDevice)(CUdevice* device) {
  const Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetDevice_v2)(CUdevice* device, CUcontext handle) {
  const Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *device = context->device;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetFlags)(unsigned* flags) {
  const Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = context->flags;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxSetFlags)(unsigned flags) {
  Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  context->flags = flags;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetId)(CUcontext handle, unsigned long long* id) {
  const Context* const context = given_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  *id = context->id;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxSetLimit)(CUlimit limit, size_t value) {
  Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  const Lock lock(instance().mutex);
  context->limits[limit] = value;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetLimit)(size_t* value, CUlimit limit) {
  const Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  const Lock lock(instance().mutex);
  const auto set = context->limits.find(limit);
  *value = set == context->limits.end() ? default_limit(limit) : set->second;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetStreamPriorityRange)(int* least, int* greatest) {
  constexpr int kGreatestPriority = -5;
  if (least) *least = 0;
  if (greatest) *greatest = kGreatestPriority;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetApiVersion)(CUcontext, unsigned* version) {
  constexpr unsigned kApiVersion = 3020;
  *version = kApiVersion;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetCacheConfig)(CUfunc_cache* config) {
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxGetSharedMemConfig)(CUsharedconfig* config) {
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxSetCacheConfig)(CUfunc_cache) { return CUDA_SUCCESS; }
DRYFIT_API(cuCtxSetSharedMemConfig)(CUsharedconfig) { return CUDA_SUCCESS; }
DRYFIT_API(cuCtxSynchronize)() { return CUDA_SUCCESS; }
DRYFIT_API(cuCtxSynchronize_v2)(CUcontext) { return CUDA_SUCCESS; }
DRYFIT_API(cuCtxResetPersistingL2Cache)() { return CUDA_SUCCESS; }
DRYFIT_API(cuCtxGetExecAffinity)(CUexecAffinityParam*, CUexecAffinityType) {
  return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}
