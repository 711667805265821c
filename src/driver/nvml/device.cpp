// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about what a device is and how it is set up.
#include <string>

#include "card/identity.h"
#include "driver/nvml/chip.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

/// The GPU under a slice bears its name without the slice: "NVIDIA A100-SXM4-40GB" of "NVIDIA A100-SXM4-40GB MIG
/// 1g.5gb".
std::string_view name_of(const Device& device) {
  const std::string_view name = device.card->name;
  return device.is_slice ? name : name.substr(0, name.find(" MIG "));
}

/// ECC as a setting exists on professional cards only.
nvmlReturn_t ecc_setting(nvmlDevice_t device, nvmlEnableState_t* first, nvmlEnableState_t* second) {
  return with_device(device, [&](const Device& it) {
    if (first == nullptr || second == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (is_geforce(*it.card) && !has_ecc_enabled(*it.card)) return NVML_ERROR_NOT_SUPPORTED;
    *first = *second = has_ecc_enabled(*it.card) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t no_ecc_errors(nvmlDevice_t device, unsigned long long* count) {
  return with_device(device, [&](const Device& it) {
    if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (!has_ecc_enabled(*it.card)) return NVML_ERROR_NOT_SUPPORTED;
    *count = 0;
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length) {
  return with_device(device, [&](const Device& it) { return copy_text(name_of(it), name, length); });
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  return with_device(device, [&](const Device& it) {
    return copy_text((it.is_slice ? "MIG-" : "GPU-") + device_uuid_text(it.ordinal), uuid, length);
  });
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int* index) {
  return answer(device, index, [](const Device& it) { return it.is_slice ? 0u : static_cast<unsigned>(it.ordinal); });
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int* minor) {
  return answer(device, minor, [](const Device& it) { return static_cast<unsigned>(it.ordinal); });
}

nvmlReturn_t nvmlDeviceGetBoardId(nvmlDevice_t device, unsigned int* board) {
  return answer(device, board,
                [](const Device& it) { return static_cast<unsigned>(pci_address(it.ordinal).bus) << 8; });
}

nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned int* multi) { return answer(device, multi, 0); }

nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t device, nvmlDevice_t other, int* same) {
  return with_device(other, [&](const Device& second) {
    return answer(device, same, [&](const Device& first) { return first.ordinal == second.ordinal ? 1 : 0; });
  });
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  return with_device(device, [&](const Device& it) {
    if (major == nullptr || minor == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *major = it.card->compute_capability.major;
    *minor = it.card->compute_capability.minor;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t* architecture) {
  return answer(device, architecture, [](const Device& it) { return architecture_of(*it.card); });
}

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t* brand) {
  return answer(device, brand, [](const Device& it) { return brand_of(*it.card); });
}

nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned int* cores) {
  return answer(device, cores, [](const Device& it) { return cores_of(*it.card); });
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  return answer(device, mode, NVML_COMPUTEMODE_DEFAULT);
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return answer(device, mode, NVML_FEATURE_DISABLED);
}

nvmlReturn_t nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return answer(device, mode, NVML_FEATURE_DISABLED);
}

nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t* active) {
  return answer(device, active, NVML_FEATURE_DISABLED);
}

nvmlReturn_t nvmlDeviceGetAccountingMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return answer(device, mode, NVML_FEATURE_DISABLED);
}

nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, nvmlGpuVirtualizationMode_t* mode) {
  return answer(device, mode, NVML_GPU_VIRTUALIZATION_MODE_NONE);
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current, nvmlEnableState_t* pending) {
  return ecc_setting(device, current, pending);
}

nvmlReturn_t nvmlDeviceGetDefaultEccMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return ecc_setting(device, mode, mode);
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t, nvmlEccCounterType_t,
                                         unsigned long long* count) {
  return no_ecc_errors(device, count);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t, nvmlEccCounterType_t,
                                             nvmlMemoryLocation_t, unsigned long long* count) {
  return no_ecc_errors(device, count);
}

}  // extern "C"
