// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about MIG. A MIG card of the catalogue is one slice; its GPU is modelled as far as finding the slice
// needs it: in MIG mode, with this one slice, and no more memory than the slice has.
#include <cuda.h>

#include <string_view>

#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

/// Whether a GPU could be sliced at all: the large chips of Ampere and its successors.
bool can_be_sliced(const Card& card) {
  const auto [major, minor] = card.compute_capability;
  return (major == 8 || major == 9 || major == 10) && minor == 0;
}

/// 3 for "NVIDIA A100-SXM4-40GB MIG 3g.20gb"; 1 if the name does not say.
unsigned int slices_in(std::string_view name) {
  const auto mark = name.find(" MIG ");
  if (mark == std::string_view::npos || mark + 5 >= name.size()) return 1;
  const char digit = name[mark + 5];
  return digit >= '1' && digit <= '9' ? static_cast<unsigned int>(digit - '0') : 1;
}

nvmlDeviceAttributes_t describe_slice(const Card& card) {
  nvmlDeviceAttributes_t attributes{};
  attributes.multiprocessorCount = static_cast<unsigned>(card.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  attributes.sharedCopyEngineCount = static_cast<unsigned>(card.attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT));
  attributes.gpuInstanceSliceCount = slices_in(card.name);
  attributes.computeInstanceSliceCount = slices_in(card.name);
  attributes.memorySizeMB = card.total_memory.count >> 20;
  return attributes;
}

nvmlReturn_t slice_attributes(nvmlDevice_t device, nvmlDeviceAttributes_t* attributes) {
  return with_device(device, [&](const Device& it) {
    if (attributes == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (!it.is_slice) return NVML_ERROR_NOT_SUPPORTED;
    *attributes = describe_slice(*it.card);
    return NVML_SUCCESS;
  });
}

/// The one slice is instance 0 of its GPU, in either numbering.
nvmlReturn_t instance_id(nvmlDevice_t device, unsigned int* id) {
  return with_device(device, [&](const Device& it) {
    if (id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (!it.is_slice) return NVML_ERROR_NOT_SUPPORTED;
    *id = 0;
    return NVML_SUCCESS;
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int* current, unsigned int* pending) {
  return with_device(device, [&](const Device& it) {
    if (current == nullptr || pending == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const bool sliced = is_mig_card(*it.card);
    if (!sliced && !can_be_sliced(*it.card)) return NVML_ERROR_NOT_SUPPORTED;
    *current = *pending = sliced ? NVML_DEVICE_MIG_ENABLE : NVML_DEVICE_MIG_DISABLE;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int* is_slice) {
  return answer(device, is_slice, [](const Device& it) { return it.is_slice ? 1u : 0u; });
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int* count) {
  return answer(device, count, [](const Device& it) { return is_mig_card(*it.card) && !it.is_slice ? 1u : 0u; });
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t* slice) {
  return with_device(device, [&](const Device& it) {
    if (slice == nullptr || it.is_slice) return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_mig_card(*it.card)) return NVML_ERROR_NOT_SUPPORTED;
    if (index != 0) return NVML_ERROR_NOT_FOUND;
    *slice = handle_of(it.ordinal, true);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t slice, nvmlDevice_t* device) {
  return with_device(slice, [&](const Device& it) {
    if (device == nullptr || !it.is_slice) return NVML_ERROR_INVALID_ARGUMENT;
    *device = handle_of(it.ordinal);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned int* id) { return instance_id(device, id); }
nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned int* id) { return instance_id(device, id); }

nvmlReturn_t nvmlDeviceGetAttributes(nvmlDevice_t device, nvmlDeviceAttributes_t* attributes) {
  return slice_attributes(device, attributes);
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t* attributes) {
  return slice_attributes(device, attributes);
}

}  // extern "C"
