// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "card/card.h"
#include "driver/nvml/api.h"

namespace dryfit::nvml {

// What NVML reports about a card besides its CUDA attributes, derived from its compute capability and its name.

nvmlDeviceArchitecture_t architecture_of(const Card& card);
nvmlBrandType_t brand_of(const Card& card);
bool is_geforce(const Card& card);

/// FP32 lanes of all multiprocessors: "CUDA cores".
unsigned int cores_of(const Card& card);

/// The newest PCI Express generation that the chip supports.
unsigned int pcie_generation_of(const Card& card);

bool has_ecc_enabled(const Card& card);

}  // namespace dryfit::nvml
