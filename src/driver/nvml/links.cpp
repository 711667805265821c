// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points for NVLink and the fabric behind it, which the modelled machine does not have, and for the field
// values, which are mostly about them.
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

constexpr ComputeCapability kFirstWithFabric{9, 0};

/// Chips before Hopper do not support the query; later ones answer that they are not part of a fabric.
template <class Info>
nvmlReturn_t no_fabric(nvmlDevice_t device, Info* info) {
  return with_device(device, [&](const Device& it) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (it.card->compute_capability < kFirstWithFabric) return NVML_ERROR_NOT_SUPPORTED;
    *info = Info{};
    info->state = NVML_GPU_FABRIC_STATE_NOT_SUPPORTED;
    return NVML_SUCCESS;
  });
}

template <class Info>
nvmlReturn_t no_versioned_fabric(nvmlDevice_t device, Info* info) {
  const unsigned int version = info->version;
  const nvmlReturn_t result = no_fabric(device, info);
  info->version = version;
  return result;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int, nvmlEnableState_t*) {
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned int, unsigned int*) {
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned int, nvmlNvLinkCapability_t, unsigned int*) {
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned int, nvmlPciInfo_t*) {
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int, nvmlPciInfo_t*) {
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int, nvmlIntNvLinkDeviceType_t*) {
  return not_supported(device);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t* info) {
  return no_fabric(device, info);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t* info) {
  if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  switch (info->version) {
    case nvmlGpuFabricInfo_v2:
      return no_versioned_fabric(device, reinterpret_cast<nvmlGpuFabricInfo_v2_t*>(info));
    case nvmlGpuFabricInfo_v3:
      return no_versioned_fabric(device, info);
    default:
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo_v4(nvmlDevice_t device, nvmlGpuFabricInfo_v4_t* info) {
  return no_fabric(device, info);
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t* values) {
  return with_device(device, [&](const Device&) {
    if (count <= 0 || values == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < count; ++i) {
      values[i].timestamp = 0;
      values[i].latencyUsec = 0;
      values[i].nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
    }
    return NVML_SUCCESS;
  });
}

}  // extern "C"
