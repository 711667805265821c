// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/nvml/chip.h"

#include <cuda.h>

namespace dryfit::nvml {
namespace {

struct NamePart {
  const char* part;
  nvmlBrandType_t brand;
};

/// The first part found in a card's name decides.
constexpr NamePart kBrands[] = {
    {"GeForce", NVML_BRAND_GEFORCE}, {"TITAN", NVML_BRAND_TITAN}, {"Quadro RTX", NVML_BRAND_QUADRO_RTX},
    {"Quadro", NVML_BRAND_QUADRO},   {"Tesla", NVML_BRAND_TESLA}, {"RTX", NVML_BRAND_NVIDIA_RTX},
};

struct ChipFamily {
  ComputeCapability from;
  nvmlDeviceArchitecture_t architecture;
  unsigned int cores_per_multiprocessor;
  unsigned int pcie_generation;
};

/// A chip belongs to the last family whose first compute capability it reaches.
constexpr ChipFamily kFamilies[] = {
    {{3, 0}, NVML_DEVICE_ARCH_KEPLER, 192, 3},     {{5, 0}, NVML_DEVICE_ARCH_MAXWELL, 128, 3},
    {{6, 0}, NVML_DEVICE_ARCH_PASCAL, 64, 3},      {{6, 1}, NVML_DEVICE_ARCH_PASCAL, 128, 3},
    {{7, 0}, NVML_DEVICE_ARCH_VOLTA, 64, 3},       {{7, 5}, NVML_DEVICE_ARCH_TURING, 64, 3},
    {{8, 0}, NVML_DEVICE_ARCH_AMPERE, 64, 4},      {{8, 6}, NVML_DEVICE_ARCH_AMPERE, 128, 4},
    {{8, 9}, NVML_DEVICE_ARCH_ADA, 128, 4},        {{9, 0}, NVML_DEVICE_ARCH_HOPPER, 128, 5},
    {{10, 0}, NVML_DEVICE_ARCH_BLACKWELL, 128, 5},
};

const ChipFamily& family_of(const Card& card) {
  const ChipFamily* family = &kFamilies[0];
  for (const auto& candidate : kFamilies) {
    if (candidate.from <= card.compute_capability) family = &candidate;
  }
  return *family;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

nvmlDeviceArchitecture_t architecture_of(const Card& card) {
  if (card.compute_capability < kFamilies[0].from) return NVML_DEVICE_ARCH_UNKNOWN;
  return family_of(card).architecture;
}

nvmlBrandType_t brand_of(const Card& card) {
  for (const auto& [part, brand] : kBrands) {
    if (contains(card.name, part)) return brand;
  }
  return NVML_BRAND_NVIDIA;
}

bool is_geforce(const Card& card) { return brand_of(card) == NVML_BRAND_GEFORCE; }

unsigned int cores_of(const Card& card) {
  const auto multiprocessors = static_cast<unsigned int>(card.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  return multiprocessors * family_of(card).cores_per_multiprocessor;
}

unsigned int pcie_generation_of(const Card& card) { return family_of(card).pcie_generation; }

bool has_ecc_enabled(const Card& card) { return card.attribute(CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0; }

}  // namespace dryfit::nvml
