// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Devices: the cards of the machine and their properties.
#include <cstdio>
#include <cstring>

#include "card/identity.h"
#include "driver/cuda/driver.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

/// Attributes that depend on the slot a card sits in, not on the card.
int attribute_of_slot(CUdevice_attribute attribute, const Device& device) {
  const PciAddress pci = pci_address(device.slot());
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return pci.bus;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
      return pci.device;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      return pci.domain;
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID:
      return device.slot();
    default:
      return device.card().attribute(attribute);
  }
}

CUresult copy_uuid(CUuuid* uuid, CUdevice ordinal) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const auto bytes = device_uuid(device->slot());
  std::memcpy(uuid->bytes, bytes.data(), bytes.size());
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuInit)(unsigned int flags) { return flags != 0 ? CUDA_ERROR_INVALID_VALUE : instance().initialise(); }

DRYFIT_API(cuDriverGetVersion)(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = instance().version();
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGet)(CUdevice* device, int ordinal) {
  if (!instance().initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!instance().device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetCount)(int* count) {
  if (!instance().initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = instance().device_count();
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetName)(char* name, int length, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, static_cast<std::size_t>(length), "%s", device->card().name.c_str());
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetUuid)(CUuuid* uuid, CUdevice ordinal) { return copy_uuid(uuid, ordinal); }

DRYFIT_API(cuDeviceGetUuid_v2)(CUuuid* uuid, CUdevice ordinal) { return copy_uuid(uuid, ordinal); }

DRYFIT_API(cuDeviceTotalMem_v2)(size_t* bytes, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  *bytes = device->card().total_memory.count;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceComputeCapability)(int* major, int* minor, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *major = device->card().compute_capability.major;
  *minor = device->card().compute_capability.minor;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetAttribute)(int* value, CUdevice_attribute attribute, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!value || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  *value = attribute_of_slot(attribute, *device);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetProperties)(CUdevprop* properties, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  const Card& card = device->card();
  *properties = {
      .maxThreadsPerBlock = card.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      .maxThreadsDim = {card.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                        card.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                        card.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
      .maxGridSize = {card.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                      card.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                      card.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
      .sharedMemPerBlock = card.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
      .totalConstantMemory = card.attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
      .SIMDWidth = card.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
      .memPitch = card.attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
      .regsPerBlock = card.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
      .clockRate = card.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
      .textureAlign = card.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
  };
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetPCIBusId)(char* text, int length, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (!text || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(text, static_cast<std::size_t>(length), "%s", pci_bus_id(device->slot()).c_str());
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetByPCIBusId)(CUdevice* device, const char* text) {
  if (!device || !text) return CUDA_ERROR_INVALID_VALUE;
  const auto wanted = parse_pci_bus_id(text);
  if (!wanted) return CUDA_ERROR_INVALID_VALUE;
  for (int ordinal = 0; ordinal < instance().device_count(); ++ordinal) {
    if (pci_address(instance().device(ordinal)->slot()) != *wanted) continue;
    *device = ordinal;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

DRYFIT_API(cuDeviceGetTexture1DLinearMaxWidth)(size_t* width, CUarray_format, unsigned, CUdevice ordinal) {
  const Device* const device = instance().device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  *width = static_cast<std::size_t>(device->card().attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetExecAffinitySupport)(int* supported, CUexecAffinityType, CUdevice ordinal) {
  if (!instance().device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *supported = 0;
  return CUDA_SUCCESS;
}
