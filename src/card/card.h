// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace dryfit {

/// Where a number of a card comes from.
enum class Origin {
  measured,  ///< printed by a real card
  vendor,    ///< stated in the vendor's public documents
  derived,   ///< computed or assumed by us from related cards; not measured
};

struct ComputeCapability {
  int major = 0;
  int minor = 0;
  friend constexpr auto operator<=>(ComputeCapability, ComputeCapability) = default;
};

/// A GPU as the CUDA libraries above the driver see it: a size, a chip, and answers to questions about attributes.
/// Plain data; where each number came from stays in the catalogue (CardFile).
struct Card {
  std::string id;            ///< "rtx-3060-12gb": the key of the catalogue
  std::string name;          ///< "NVIDIA GeForce RTX 3060": what cuDeviceGetName answers
  std::string architecture;  ///< "Ampere"
  ComputeCapability compute_capability;
  Bytes total_memory;                    ///< as cuDeviceTotalMem reports it (less than the marketing size)
  Bytes held_by_others;                  ///< what other jobs use of it, and this one can't have
  Bytes context_memory;                  ///< taken by a bare CUDA context before the program allocates anything
  Bytes launch_memory;                   ///< taken in addition once kernels run, without a request to the driver
  Bytes context_spread;                  ///< how far from the truth the sum of both, and of counted code, may lie
  std::map<int, int> attributes;         ///< CUdevice_attribute number → value; an absent one answers 0
  std::vector<int> gpc_multiprocessors;  ///< SMs in each graphics processing cluster; empty when not modelled

  /// The memory that a job can have.
  Bytes available() const { return total_memory - held_by_others; }

  int attribute(int number) const {
    const auto found = attributes.find(number);
    return found == attributes.end() ? 0 : found->second;
  }
};

}  // namespace dryfit
