// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points that find a device: by index, UUID, PCI bus id.
#include <cstring>
#include <string>

#include "card/identity.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

nvmlReturn_t count_devices(unsigned int* count) {
  return with_machine([&](const Machine& machine) {
    if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    *count = static_cast<unsigned int>(machine.cards.size());
    return NVML_SUCCESS;
  });
}

nvmlReturn_t find_by_index(unsigned int index, nvmlDevice_t* device) {
  return with_machine([&](const Machine& machine) {
    if (device == nullptr || index >= machine.cards.size()) return NVML_ERROR_INVALID_ARGUMENT;
    *device = handle_of(static_cast<int>(index));
    return NVML_SUCCESS;
  });
}

/// The first card that `matches(ordinal)`.
template <class Matches>
nvmlReturn_t find_card(const Machine& machine, bool slice, nvmlDevice_t* device, Matches matches) {
  for (int ordinal = 0; ordinal < static_cast<int>(machine.cards.size()); ++ordinal) {
    if (!matches(ordinal) || (slice && !is_mig_card(machine.cards[ordinal]))) continue;
    *device = handle_of(ordinal, slice);
    return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t find_by_uuid_text(const Machine& machine, std::string_view uuid, nvmlDevice_t* device) {
  const bool slice = uuid.starts_with("MIG-");
  if (!slice && !uuid.starts_with("GPU-")) return NVML_ERROR_INVALID_ARGUMENT;
  return find_card(machine, slice, device, [&](int ordinal) { return uuid.substr(4) == device_uuid_text(ordinal); });
}

nvmlReturn_t find_by_uuid_bytes(const Machine& machine, const unsigned char* uuid, nvmlDevice_t* device) {
  return find_card(machine, false, device, [&](int ordinal) {
    const auto own = device_uuid(ordinal);
    return std::memcmp(uuid, own.data(), own.size()) == 0;
  });
}

nvmlReturn_t find_by_bus_id(const char* bus_id, nvmlDevice_t* device) {
  return with_machine([&](const Machine& machine) {
    if (bus_id == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const auto wanted = parse_pci_bus_id(bus_id);
    if (!wanted) return NVML_ERROR_INVALID_ARGUMENT;
    return find_card(machine, false, device, [&](int ordinal) { return pci_address(ordinal) == *wanted; });
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCount(unsigned int* count) { return count_devices(count); }
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* count) { return count_devices(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t* device) {
  return find_by_index(index, device);
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  return find_by_index(index, device);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  return with_machine([&](const Machine& machine) {
    if (uuid == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return find_by_uuid_text(machine, uuid, device);
  });
}

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t* uuid, nvmlDevice_t* device) {
  return with_machine([&](const Machine& machine) {
    if (uuid == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (uuid->version != nvmlUUID_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const auto& value = uuid->value;
    switch (uuid->type) {
      case NVML_UUID_TYPE_ASCII:
        return find_by_uuid_text(machine, {value.str, strnlen(value.str, sizeof value.str)}, device);
      case NVML_UUID_TYPE_BINARY:
        return find_by_uuid_bytes(machine, value.bytes, device);
      default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
  });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* bus_id, nvmlDevice_t* device) {
  return find_by_bus_id(bus_id, device);
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  return find_by_bus_id(bus_id, device);
}

}  // extern "C"
