// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Launches. A kernel returns at once; what it may have written is forgotten.
#include <cstring>
#include <span>

#include "driver/cuda/driver.h"
#include "driver/cuda/kernel_time.h"
#include "driver/cuda/module.h"
#include "driver/cuda/stream.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

/// Every word that looks like a device address may be one that the kernel writes to.
void touch_addresses(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(Address) <= bytes.size(); at += sizeof(Address)) {
    Address address;
    std::memcpy(&address, bytes.data() + at, sizeof address);
    if (instance().device_of(address)) instance().shadow.touch(address);
  }
}

/// The `extra` form of a launch: a list of tags and values that names one buffer with all parameters.
std::span<const std::byte> parameter_buffer(void** extra) {
  const std::byte* buffer = nullptr;
  std::size_t size = 0;
  for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::byte*>(extra[1]);
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(extra[1]);
  }
  return buffer ? std::span(buffer, size) : std::span<const std::byte>();
}

void forget_what_may_change(const Kernel& kernel, void** parameters, void** extra) {
  if (instance().shadow.empty()) return;
  const auto& sizes = kernel.facts.parameter_sizes;
  if (extra) {
    touch_addresses(parameter_buffer(extra));
  } else if (parameters && !sizes.empty()) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (parameters[i]) touch_addresses({static_cast<const std::byte*>(parameters[i]), sizes[i]});
    }
  } else if (parameters) {
    instance().shadow.forget_all();
  }
}

/// The time passes now, or whenever the graph runs that the kernel is captured into.
void take_time(const Device& device, const Kernel& kernel, const LaunchShape& shape, CUstream stream) {
  const std::uint64_t time = kernel_nanoseconds(device.card(), kernel.facts, shape);
  if (captured(stream, CU_GRAPH_NODE_TYPE_KERNEL)) {
    stream_of(stream).capture->graph->kernels_ns += time;
  } else {
    instance().clock_ns += time;
  }
}

LaunchShape shape_of(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned shared) {
  return {.blocks = std::uint64_t{grid_x} * grid_y * grid_z,
          .block_size = static_cast<int>(block_x * block_y * block_z),
          .dynamic_shared = shared};
}

CUresult launch(CUfunction function, const LaunchShape& shape, CUstream stream, void** parameters, void** extra) {
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  Kernel& kernel = *reinterpret_cast<Kernel*>(function);
  const Lock lock(instance().mutex);
  if (!kernel.is_loaded_on(*device) && !kernel.module->load(kernel, *device)) return CUDA_ERROR_OUT_OF_MEMORY;
  kernel.launches.add();
  take_time(*device, kernel, shape, stream);
  forget_what_may_change(kernel, parameters, extra);
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuLaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** parameters,
                           void** extra) {
  const auto shape = shape_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared);
  return launch(function, shape, stream, parameters, extra);
}

DRYFIT_API(cuLaunchKernelEx)(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const auto shape = shape_of(config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                              config->blockDimY, config->blockDimZ, config->sharedMemBytes);
  return launch(function, shape, config->hStream, parameters, extra);
}

DRYFIT_API(cuLaunchCooperativeKernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                      CUstream stream, void** parameters) {
  const auto shape = shape_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared);
  return launch(function, shape, stream, parameters, nullptr);
}

// The callback runs outside the driver's lock: it may call the driver.
DRYFIT_API(cuLaunchHostFunc)(CUstream stream, CUhostFn function, void* user) {
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  {
    const Lock lock(instance().mutex);
    if (captured(stream, CU_GRAPH_NODE_TYPE_HOST)) return CUDA_SUCCESS;
  }
  function(user);
  return CUDA_SUCCESS;
}

// A descriptor of a tensor for the copy engine: opaque, and nothing reads it here.
DRYFIT_API(cuTensorMapEncodeTiled)(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                   const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                   CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  std::memset(map, 0, sizeof *map);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuTensorMapEncodeIm2col)(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                    const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                    const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  std::memset(map, 0, sizeof *map);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuTensorMapEncodeIm2colWide)(CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                        const cuuint64_t*, int, int, cuuint32_t, cuuint32_t, const cuuint32_t*,
                                        CUtensorMapInterleave, CUtensorMapIm2ColWideMode, CUtensorMapSwizzle,
                                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  std::memset(map, 0, sizeof *map);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuTensorMapReplaceAddress)(CUtensorMap*, void*) { return CUDA_SUCCESS; }
