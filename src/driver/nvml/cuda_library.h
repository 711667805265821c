// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"

namespace dryfit::nvml {

// Queries to the stand-in libcuda.so.1, if this process has loaded it. A process without it, or with another libcuda,
// uses no memory of the modelled cards. `ordinal` counts Machine::cards, as NVML's own index does; under
// CUDA_VISIBLE_DEVICES the CUDA device of the same card may have another number, so cards are matched by PCI bus id.

/// Memory in use on the card as CUDA in this process counts it; 0 if the card is hidden from CUDA or CUDA is not in use.
Bytes memory_used_by_cuda(int ordinal);

/// Whether CUDA would let one card read the other's memory.
bool peers_can_access(int ordinal, int peer_ordinal);

}  // namespace dryfit::nvml
