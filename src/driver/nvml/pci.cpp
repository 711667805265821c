// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points about a device's place on the PCI bus.
#include <cstdio>

#include "card/identity.h"
#include "driver/nvml/chip.h"
#include "driver/nvml/session.h"

using namespace dryfit;
using namespace dryfit::nvml;

namespace {

constexpr unsigned int kVendor = 0x10de;
constexpr unsigned int kDisplayController = 0x03;
constexpr unsigned int k3dController = 0x02;
constexpr unsigned int kLanes = 16;

/// Megatransfers per second of each PCI Express generation, as nvmlDeviceGetPcieSpeed counts.
constexpr unsigned int kMegatransfers[] = {0, 2500, 5000, 8000, 16000, 32000, 64000};

void write_bus_id(const char* format, const PciAddress& address, char* out, std::size_t size) {
  std::snprintf(out, size, format, static_cast<unsigned>(address.domain), static_cast<unsigned>(address.bus),
                static_cast<unsigned>(address.device));
}

/// The fields that all versions of the structures share. The chip's own number is not modelled: the vendor's alone.
template <class Info>
void fill_address(const PciAddress& address, Info* info) {
  info->domain = static_cast<unsigned>(address.domain);
  info->bus = static_cast<unsigned>(address.bus);
  info->device = static_cast<unsigned>(address.device);
  info->pciDeviceId = kVendor;
  info->pciSubSystemId = kVendor;
}

nvmlPciInfo_t describe(const PciAddress& address) {
  nvmlPciInfo_t info{};
  fill_address(address, &info);
  write_bus_id("%04X:%02X:%02X.0", address, info.busIdLegacy, sizeof info.busIdLegacy);
  write_bus_id("%08X:%02X:%02X.0", address, info.busId, sizeof info.busId);
  return info;
}

/// The first two versions knew no long bus id: their callers may have no room for it.
nvmlReturn_t pci_info_without_long_bus_id(nvmlDevice_t device, nvmlPciInfo_t* info) {
  return with_device(device, [&](const Device& it) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const auto address = pci_address(it.ordinal);
    fill_address(address, info);
    write_bus_id("%04X:%02X:%02X.0", address, info->busIdLegacy, sizeof info->busIdLegacy);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t link_generation(nvmlDevice_t device, unsigned int* generation) {
  return answer(device, generation, [](const Device& it) { return pcie_generation_of(*it.card); });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* info) {
  return pci_info_without_long_bus_id(device, info);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* info) {
  return pci_info_without_long_bus_id(device, info);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* info) {
  return answer(device, info, [](const Device& it) { return describe(pci_address(it.ordinal)); });
}

nvmlReturn_t nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t* info) {
  return with_device(device, [&](const Device& it) {
    if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    if (info->version != nvmlPciInfoExt_v1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const auto address = pci_address(it.ordinal);
    fill_address(address, info);
    info->baseClass = kDisplayController;
    info->subClass = k3dController;
    write_bus_id("%08X:%02X:%02X.0", address, info->busId, sizeof info->busId);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetBusType(nvmlDevice_t device, nvmlBusType_t* type) {
  return answer(device, type, NVML_BUS_TYPE_PCIE);
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int* generation) {
  return link_generation(device, generation);
}

nvmlReturn_t nvmlDeviceGetGpuMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int* generation) {
  return link_generation(device, generation);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned int* generation) {
  return link_generation(device, generation);
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned int* lanes) {
  return answer(device, lanes, kLanes);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned int* lanes) {
  return answer(device, lanes, kLanes);
}

nvmlReturn_t nvmlDeviceGetPcieLinkMaxSpeed(nvmlDevice_t device, unsigned int* speed) {
  return link_generation(device, speed);  // NVML_PCIE_LINK_MAX_SPEED_* are numbered by generation
}

nvmlReturn_t nvmlDeviceGetPcieSpeed(nvmlDevice_t device, unsigned int* speed) {
  return answer(device, speed, [](const Device& it) { return kMegatransfers[pcie_generation_of(*it.card)]; });
}

nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t, unsigned int* kib_per_second) {
  return answer(device, kib_per_second, 0);
}

nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned int* count) {
  return answer(device, count, 0);
}

}  // extern "C"
