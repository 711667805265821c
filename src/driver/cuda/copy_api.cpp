// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Device contents are not kept, except small ones that a program may want to read back (Shadow).
#include <cstring>
#include <span>

#include "driver/cuda/count_answer.h"
#include "driver/cuda/driver.h"
#include "driver/cuda/recorder.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

enum class Direction { host_to_device, device_to_host, device_to_device, host_to_host };

Direction direction(Address to, Address from) {
  const bool to_device = instance().device_of(to) != nullptr;
  const bool from_device = instance().device_of(from) != nullptr;
  if (to_device) return from_device ? Direction::device_to_device : Direction::host_to_device;
  return from_device ? Direction::device_to_host : Direction::host_to_host;
}

void count_copy(Direction direction, std::size_t size) {
  static constexpr const char* kNames[] = {"copy.host_to_device", "copy.device_to_host", "copy.device_to_device",
                                           "copy.host_to_host"};
  recorder().counter(kNames[static_cast<int>(direction)]).add(1, {size});
}

/// Every copy of one dimension. Large uploads are not even read: untouched pages of a model's weights stay untouched.
CUresult copy(Address to, Address from, std::size_t size) {
  if (size == 0) return CUDA_SUCCESS;
  const Direction way = direction(to, from);
  count_copy(way, size);
  const Lock lock(instance().mutex);
  Shadow& shadow = instance().shadow;
  switch (way) {
    case Direction::host_to_device:
      if (size > Shadow::kLargest) {
        shadow.forget(to, size);
      } else {
        shadow.write(to, {reinterpret_cast<const std::byte*>(from), size});
      }
      break;
    case Direction::device_to_host:
      if (const std::span out(reinterpret_cast<std::byte*>(to), size); !answer_count(out)) shadow.read(from, out);
      break;
    case Direction::device_to_device:
      shadow.copy(to, from, size);
      break;
    case Direction::host_to_host:
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), size);
      break;
  }
  return CUDA_SUCCESS;
}

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

/// One side of a copy of two or three dimensions.
struct Side {
  Address base;  ///< 0: an array, whose contents are never kept
  std::size_t pitch;
  std::size_t height;

  Address row(std::size_t y, std::size_t z) const { return base + (z * height + y) * pitch; }
};

Side side(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t pitch, std::size_t height, std::size_t x,
          std::size_t y, std::size_t z) {
  if (type == CU_MEMORYTYPE_ARRAY) return {0, pitch, height};
  const Address base = type == CU_MEMORYTYPE_HOST ? address_of(host) : device;
  return {base + x + (z * height + y) * pitch, pitch, height};
}

CUresult copy_rows(const Side& to, const Side& from, std::size_t width, std::size_t height, std::size_t depth) {
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      if (to.base == 0) continue;
      if (from.base != 0) {
        copy(to.row(y, z), from.row(y, z), width);
      } else if (!instance().device_of(to.base)) {
        std::memset(reinterpret_cast<void*>(to.row(y, z)), 0, width);
      }
    }
  }
  return CUDA_SUCCESS;
}

CUresult copy_2d(const CUDA_MEMCPY2D* c) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const Side from = side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcPitch, 0, c->srcXInBytes, c->srcY, 0);
  const Side to = side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstPitch, 0, c->dstXInBytes, c->dstY, 0);
  return copy_rows(to, from, c->WidthInBytes, c->Height, 1);
}

CUresult copy_3d(const CUDA_MEMCPY3D* c) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const Side from =
      side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcPitch, c->srcHeight, c->srcXInBytes, c->srcY, c->srcZ);
  const Side to =
      side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstPitch, c->dstHeight, c->dstXInBytes, c->dstY, c->dstZ);
  return copy_rows(to, from, c->WidthInBytes, c->Height, c->Depth);
}

/// `value` is `unit` bytes wide and repeated `count` times.
CUresult fill(CUdeviceptr to, std::uint32_t value, std::size_t unit, std::size_t count) {
  const std::size_t size = unit * count;
  recorder().counter("copy.fill").add(1, {size});
  if (!instance().device_of(to)) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(reinterpret_cast<void*>(to + i * unit), &value, unit);
    return CUDA_SUCCESS;
  }
  const Lock lock(instance().mutex);
  if (size > Shadow::kLargest) {
    instance().shadow.forget(to, size);
    return CUDA_SUCCESS;
  }
  std::byte pattern[Shadow::kLargest];
  for (std::size_t i = 0; i < count; ++i) std::memcpy(pattern + i * unit, &value, unit);
  instance().shadow.write(to, {pattern, size});
  return CUDA_SUCCESS;
}

CUresult fill_2d(CUdeviceptr to, std::size_t pitch, std::uint32_t value, std::size_t unit, std::size_t width,
                 std::size_t height) {
  for (std::size_t y = 0; y < height; ++y) fill(to + y * pitch, value, unit, width);
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuMemcpy)(CUdeviceptr to, CUdeviceptr from, size_t size) { return copy(to, from, size); }
DRYFIT_API(cuMemcpyAsync)(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream) { return copy(to, from, size); }
DRYFIT_API(cuMemcpyHtoD_v2)(CUdeviceptr to, const void* from, size_t size) { return copy(to, address_of(from), size); }
DRYFIT_API(cuMemcpyHtoDAsync_v2)(CUdeviceptr to, const void* from, size_t size, CUstream) {
  return copy(to, address_of(from), size);
}
DRYFIT_API(cuMemcpyDtoH_v2)(void* to, CUdeviceptr from, size_t size) { return copy(address_of(to), from, size); }
DRYFIT_API(cuMemcpyDtoHAsync_v2)(void* to, CUdeviceptr from, size_t size, CUstream) {
  return copy(address_of(to), from, size);
}
DRYFIT_API(cuMemcpyDtoD_v2)(CUdeviceptr to, CUdeviceptr from, size_t size) { return copy(to, from, size); }
DRYFIT_API(cuMemcpyDtoDAsync_v2)(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream) {
  return copy(to, from, size);
}
DRYFIT_API(cuMemcpyPeer)(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t size) {
  return copy(to, from, size);
}
DRYFIT_API(cuMemcpyPeerAsync)(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t size, CUstream) {
  return copy(to, from, size);
}
DRYFIT_API(cuMemcpyBatchAsync_v2)(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count, CUmemcpyAttributes*,
                                  size_t*, size_t, CUstream) {
  for (std::size_t i = 0; i < count; ++i) copy(to[i], from[i], sizes[i]);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuMemcpy2D_v2)(const CUDA_MEMCPY2D* c) { return copy_2d(c); }
DRYFIT_API(cuMemcpy2DUnaligned_v2)(const CUDA_MEMCPY2D* c) { return copy_2d(c); }
DRYFIT_API(cuMemcpy2DAsync_v2)(const CUDA_MEMCPY2D* c, CUstream) { return copy_2d(c); }
DRYFIT_API(cuMemcpy3D_v2)(const CUDA_MEMCPY3D* c) { return copy_3d(c); }
DRYFIT_API(cuMemcpy3DAsync_v2)(const CUDA_MEMCPY3D* c, CUstream) { return copy_3d(c); }

DRYFIT_API(cuMemsetD8_v2)(CUdeviceptr to, unsigned char value, size_t count) { return fill(to, value, 1, count); }
DRYFIT_API(cuMemsetD16_v2)(CUdeviceptr to, unsigned short value, size_t count) { return fill(to, value, 2, count); }
DRYFIT_API(cuMemsetD32_v2)(CUdeviceptr to, unsigned value, size_t count) { return fill(to, value, 4, count); }
DRYFIT_API(cuMemsetD8Async)(CUdeviceptr to, unsigned char value, size_t count, CUstream) {
  return fill(to, value, 1, count);
}
DRYFIT_API(cuMemsetD16Async)(CUdeviceptr to, unsigned short value, size_t count, CUstream) {
  return fill(to, value, 2, count);
}
DRYFIT_API(cuMemsetD32Async)(CUdeviceptr to, unsigned value, size_t count, CUstream) {
  return fill(to, value, 4, count);
}
DRYFIT_API(cuMemsetD2D8_v2)(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill_2d(to, pitch, value, 1, width, height);
}
DRYFIT_API(cuMemsetD2D16_v2)(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill_2d(to, pitch, value, 2, width, height);
}
DRYFIT_API(cuMemsetD2D32_v2)(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill_2d(to, pitch, value, 4, width, height);
}
DRYFIT_API(cuMemsetD2D8Async)(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                              CUstream) {
  return fill_2d(to, pitch, value, 1, width, height);
}
DRYFIT_API(cuMemsetD2D16Async)(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                               CUstream) {
  return fill_2d(to, pitch, value, 2, width, height);
}
DRYFIT_API(cuMemsetD2D32Async)(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream) {
  return fill_2d(to, pitch, value, 4, width, height);
}
