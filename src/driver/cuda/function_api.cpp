// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Functions: what a kernel needs, and how many of it fit on the chip.
#include <algorithm>

#include "driver/cuda/driver.h"
#include "driver/cuda/module.h"
#include "driver/cuda/occupancy.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

template <class Handle>
Kernel* kernel_of(Handle handle) {
  return reinterpret_cast<Kernel*>(handle);
}

const Card* current_card() {
  const Device* device = current_device();
  if (!device) device = instance().device(0);
  return device ? &device->card() : nullptr;
}

CUresult get_attribute(int* value, CUfunction_attribute attribute, const Kernel* kernel) {
  if (!value || !kernel) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = kernel->max_threads_per_block;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(kernel->facts.shared_memory.count);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(kernel->facts.local_memory.count);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = kernel->facts.registers;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = kernel->module->architecture();
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = kernel->max_dynamic_shared_memory;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = kernel->shared_memory_carveout;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult set_attribute(CUfunction_attribute attribute, int value, Kernel* kernel) {
  const Card* const card = current_card();
  if (!kernel || !card) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    const int limit = card->attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (value < 0 || value + static_cast<int>(kernel->facts.shared_memory.count) > limit)
      return CUDA_ERROR_INVALID_VALUE;
    kernel->max_dynamic_shared_memory = value;
  } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    kernel->shared_memory_carveout = value;
  }
  return CUDA_SUCCESS;
}

CUresult count_blocks(int* blocks, CUfunction function, int block_size, std::size_t dynamic_shared) {
  const Card* const card = current_card();
  if (!blocks || !function || !card) return CUDA_ERROR_INVALID_VALUE;
  *blocks = blocks_per_multiprocessor(*card, kernel_of(function)->facts, block_size, dynamic_shared);
  return CUDA_SUCCESS;
}

/// The block size that keeps most threads of a multiprocessor busy; of equals, the largest.
CUresult best_block_size(int* grid, int* block, CUfunction function, CUoccupancyB2DSize shared_of_block,
                         std::size_t dynamic_shared, int limit) {
  const Card* const card = current_card();
  if (!grid || !block || !function || !card) return CUDA_ERROR_INVALID_VALUE;
  const Kernel& kernel = *kernel_of(function);
  const int largest = limit > 0 ? std::min(limit, kernel.max_threads_per_block) : kernel.max_threads_per_block;
  int most_threads = 0;
  *block = kWarp;
  *grid = 0;
  for (int size = largest / kWarp * kWarp; size >= kWarp; size -= kWarp) {
    const std::size_t shared = shared_of_block ? shared_of_block(size) : dynamic_shared;
    const int blocks = blocks_per_multiprocessor(*card, kernel.facts, size, shared);
    if (blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block = size;
    *grid = blocks * card->attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  }
  return CUDA_SUCCESS;
}

int cluster_size(const CUlaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& dimension = config.attrs[i].value.clusterDim;
    return static_cast<int>(dimension.x * dimension.y * dimension.z);
  }
  return 1;
}

}  // namespace

DRYFIT_API(cuFuncGetAttribute)(int* value, CUfunction_attribute attribute, CUfunction function) {
  return get_attribute(value, attribute, kernel_of(function));
}
DRYFIT_API(cuFuncSetAttribute)(CUfunction function, CUfunction_attribute attribute, int value) {
  return set_attribute(attribute, value, kernel_of(function));
}
DRYFIT_API(cuKernelGetAttribute)(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return get_attribute(value, attribute, kernel_of(kernel));
}
DRYFIT_API(cuKernelSetAttribute)(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
  return set_attribute(attribute, value, kernel_of(kernel));
}
DRYFIT_API(cuKernelSetCacheConfig)(CUkernel, CUfunc_cache, CUdevice) { return CUDA_SUCCESS; }
DRYFIT_API(cuFuncSetCacheConfig)(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
DRYFIT_API(cuFuncSetSharedMemConfig)(CUfunction, CUsharedconfig) { return CUDA_SUCCESS; }
DRYFIT_API(cuFuncLoad)(CUfunction) { return CUDA_SUCCESS; }

DRYFIT_API(cuFuncIsLoaded)(CUfunctionLoadingState* state, CUfunction) {
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuKernelGetFunction)(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuKernelGetLibrary)(CUlibrary* library, CUkernel kernel) {
  *library = reinterpret_cast<CUlibrary>(kernel_of(kernel)->module);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuKernelGetName)(const char** name, CUkernel kernel) {
  *name = kernel_of(kernel)->name.c_str();
  return CUDA_SUCCESS;
}
DRYFIT_API(cuFuncGetName)(const char** name, CUfunction function) {
  *name = kernel_of(function)->name.c_str();
  return CUDA_SUCCESS;
}
DRYFIT_API(cuFuncGetModule)(CUmodule* module, CUfunction function) {
  *module = reinterpret_cast<CUmodule>(kernel_of(function)->module);
  return CUDA_SUCCESS;
}

namespace {
CUresult parameter_info(const Kernel* kernel, std::size_t index, std::size_t* offset, std::size_t* size) {
  const auto& sizes = kernel->facts.parameter_sizes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  std::size_t at = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    const std::size_t alignment = std::min<std::size_t>(8, std::max<std::size_t>(1, sizes[i] & -sizes[i]));
    at = (at + alignment - 1) / alignment * alignment;
    if (i < index) at += sizes[i];
  }
  if (offset) *offset = at;
  if (size) *size = sizes[index];
  return CUDA_SUCCESS;
}
}  // namespace

DRYFIT_API(cuFuncGetParamInfo)(CUfunction function, size_t index, size_t* offset, size_t* size) {
  return parameter_info(kernel_of(function), index, offset, size);
}
DRYFIT_API(cuKernelGetParamInfo)(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  return parameter_info(kernel_of(kernel), index, offset, size);
}

DRYFIT_API(cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CUfunction function, int block_size,
                                                        size_t shared) {
  return count_blocks(blocks, function, block_size, shared);
}
DRYFIT_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int* blocks, CUfunction function, int block_size,
                                                                 size_t shared, unsigned) {
  return count_blocks(blocks, function, block_size, shared);
}
DRYFIT_API(cuOccupancyMaxPotentialBlockSize)(int* grid, int* block, CUfunction function,
                                             CUoccupancyB2DSize shared_of_block, size_t shared, int limit) {
  return best_block_size(grid, block, function, shared_of_block, shared, limit);
}
DRYFIT_API(cuOccupancyMaxPotentialBlockSizeWithFlags)(int* grid, int* block, CUfunction function,
                                                      CUoccupancyB2DSize shared_of_block, size_t shared, int limit,
                                                      unsigned) {
  return best_block_size(grid, block, function, shared_of_block, shared, limit);
}
DRYFIT_API(cuOccupancyAvailableDynamicSMemPerBlock)(size_t* shared, CUfunction function, int blocks, int) {
  const Card* const card = current_card();
  if (!shared || !function || !card) return CUDA_ERROR_INVALID_VALUE;
  *shared = available_shared_memory(*card, kernel_of(function)->facts, blocks);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuOccupancyMaxActiveClusters)(int* clusters, CUfunction function, const CUlaunchConfig* config) {
  const Card* const card = current_card();
  if (!clusters || !function || !config || !card) return CUDA_ERROR_INVALID_VALUE;
  const int threads = static_cast<int>(config->blockDimX * config->blockDimY * config->blockDimZ);
  const int blocks = blocks_per_multiprocessor(*card, kernel_of(function)->facts, threads, config->sharedMemBytes);
  *clusters = active_clusters(*card, blocks, cluster_size(*config));
  return CUDA_SUCCESS;
}
DRYFIT_API(cuOccupancyMaxPotentialClusterSize)(int* size, CUfunction, const CUlaunchConfig*) {
  constexpr int kLargestCluster = 16;
  *size = kLargestCluster;
  return CUDA_SUCCESS;
}
