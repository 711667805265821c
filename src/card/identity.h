// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace dryfit {

// How the cards of a modelled machine are told apart. The stand-in libcuda and the stand-in NVML both answer from here,
// so that a program may look a card up in one library by what the other said. `ordinal` is the card's place in
// Machine::cards; a program's CUDA_VISIBLE_DEVICES does not change it.

/// 16 bytes as cuDeviceGetUuid gives them. The same for an ordinal on every machine and in every run.
std::array<unsigned char, 16> device_uuid(int ordinal);

/// device_uuid as text, "7b0c…-…" in groups of 8-4-4-4-12 digits: what follows "GPU-" or "MIG-" in NVML.
std::string device_uuid_text(int ordinal);

struct PciAddress {
  int domain = 0;
  int bus = 0;
  int device = 0;
  friend constexpr bool operator==(PciAddress, PciAddress) = default;
};

/// Each card has a bus of its own, the first one bus 1.
PciAddress pci_address(int ordinal);

/// "0000:01:00.0" for the first card: the spelling of cuDeviceGetPCIBusId.
std::string pci_bus_id(int ordinal);

/// An address as a program may write it: "domain:bus:device.function", without the function, or without the domain.
/// None: it is not one.
std::optional<PciAddress> parse_pci_bus_id(std::string_view text);

}  // namespace dryfit
